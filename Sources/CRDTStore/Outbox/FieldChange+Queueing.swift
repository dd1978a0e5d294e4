public import CRDTKit

extension Document.FieldChange {
  /// Whether the change assigns or removes the field's whole value.
  ///
  /// A later assignment makes it redundant.
  public var isAssignment: Bool {
    switch change {
    case .assign, .remove: true
    case .increment, .insert, .take: false
    }
  }

  /// Whether the change adds to a counter.
  var isCount: Bool {
    if case .increment = change { true } else { false }
  }

  /// The field's value before the change; `nil` if it had none, or if the change adds to
  /// any value.
  public var before: Document.Value? {
    switch change {
    case .assign(_, let before), .remove(let before): before
    case .increment, .insert, .take: nil
    }
  }

  /// The field's value after an assignment; `nil` if it has none, or if the change adds to
  /// any value.
  var after: Document.Value? {
    if case .assign(let value, _) = change { value } else { nil }
  }

  /// Whether the change does more than assign the previous value again.
  var makesDifference: Bool {
    if case .assign(let value, let before) = change { value != before } else { true }
  }

  /// Whether two changes affect each other: one path equals or contains the other.
  func overlaps(_ other: Document.FieldChange) -> Bool {
    path.isRelated(to: other.path)
  }

  /// The change with timestamps in the form that a server receives.
  var sayingMoments: Document.FieldChange {
    let said: Kind =
      switch change {
      case .assign(let value, let before): .assign(value.sayingMoments, before: before)
      case .insert(let elements): .insert(elements.map(\.sayingMoments))
      case .take(let elements): .take(elements.map(\.sayingMoments))
      case .remove, .increment: change
      }
    return Document.FieldChange(path, said)
  }

  /// The change with another previous value.
  func replacing(before: Document.Value?) -> Document.FieldChange {
    switch change {
    case .assign(let value, _): Document.FieldChange(path, .assign(value, before: before))
    case .remove: Document.FieldChange(path, .remove(before: before))
    case .increment, .insert, .take: self
    }
  }
}

extension Document.FieldChange {
  /// The changes that turn the field's previous value into the assigned one.
  ///
  /// Counters and sets, also inside objects, become differences. Other changes stay the
  /// same.
  ///
  /// - Complexity: O(size of both values).
  func differences(under rules: Schema.Collection) -> [Document.FieldChange] {
    guard case .assign(let value, let before) = change else { return [self] }
    var changes: [Document.FieldChange] = []
    Self.add(from: before, to: value, at: path, under: rules, to: &changes)
    return changes
  }

  private static func add(
    from old: Document.Value?, to new: Document.Value, at path: FieldPath,
    under rules: Schema.Collection, to changes: inout [Document.FieldChange]
  ) {
    switch (old, new, rules.rule(of: path)) {
    case (.object(let before)?, .object(let fields), _):
      for name in Set(before.keys).union(fields.keys).sorted(by: { $0.comes(before: $1) }) {
        let path = path.appending(name)
        guard let value = fields[name] else {
          changes.append(Document.FieldChange(path, .remove(before: before[name])))
          continue
        }
        add(from: before[name], to: value, at: path, under: rules, to: &changes)
      }
    case (nil, .object(let fields), _) where !fields.isEmpty:
      add(from: [:], to: .object(fields), at: path, under: rules, to: &changes)
    case (.int(let before)?, .int(let count), .counter):
      changes += counting(from: before, to: count, at: path)
    case (nil, .int(let count), .counter):
      changes.append(Document.FieldChange(path, .increment(count)))
    case (.array(let before)?, .array(let elements), .set):
      changes += exchanging(before, for: elements, at: path)
    case (nil, .array(let elements), .set) where !elements.isEmpty:
      changes.append(Document.FieldChange(path, .insert(elements)))
    default: changes.append(Document.FieldChange(path, .assign(new, before: old)))
    }
  }

  /// The change that turns one count into another; none if they are equal.
  static func counting(
    from old: Int64, to new: Int64, at path: FieldPath
  ) -> [Document.FieldChange] {
    let (difference, overflows) = new.subtractingReportingOverflow(old)
    if overflows { return [Document.FieldChange(path, .assign(.int(new), before: .int(old)))] }
    return difference == 0 ? [] : [Document.FieldChange(path, .increment(difference))]
  }

  /// The changes that turn one set of elements into another.
  static func exchanging(
    _ old: [Document.Value], for new: [Document.Value], at path: FieldPath
  ) -> [Document.FieldChange] {
    let (had, has) = (Set(old), Set(new))
    let taken = old.filter { !has.contains($0) }
    let inserted = new.filter { !had.contains($0) }
    var changes: [Document.FieldChange] = []
    if !taken.isEmpty { changes.append(Document.FieldChange(path, .take(taken))) }
    if !inserted.isEmpty { changes.append(Document.FieldChange(path, .insert(inserted))) }
    return changes
  }
}

extension Document.Value {
  /// The value with each number in the kind that an equal number of another value has.
  ///
  /// JSON has one kind of number, so a server returns 2 for a local 2.0. That is no change.
  ///
  /// - Complexity: O(size of the value).
  package func takingKinds(of known: Document.Value) -> Document.Value {
    switch (self, known) {
    case (.int(let number), .double(let other)):
      Int64(exactly: other) == number ? known : self
    case (.double(let number), .int(let other)):
      Int64(exactly: number) == other ? known : self
    case (.array(let values), .array(let others)) where values.count == others.count:
      .array(zip(values, others).map { $0.takingKinds(of: $1) })
    case (.object(let fields), .object(let others)):
      .object(
        Dictionary(
          fields.map { name, value in
            (name, others[name].map { value.takingKinds(of: $0) } ?? value)
          }, uniquingKeysWith: { $1 }))
    default: self
    }
  }

  /// Whether the values are equal, regardless of the kinds of their numbers.
  func isWorth(_ other: Document.Value) -> Bool { takingKinds(of: other) == other }
}
