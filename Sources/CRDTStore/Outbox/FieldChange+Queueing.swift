public import CRDTKit

extension Document.FieldChange {
  /// Whether the field gets or loses a value as a whole, so that a later such
  /// change makes this one needless.
  public var isAssignment: Bool {
    switch change {
    case .assign, .remove: true
    case .increment, .insert, .take: false
    }
  }

  /// What the field held before; `nil` where it held nothing, or the change adds to
  /// it whatever it holds.
  public var before: Document.Value? {
    switch change {
    case .assign(_, let before), .remove(let before): before
    case .increment, .insert, .take: nil
    }
  }

  /// What the field holds after it was assigned; `nil` where it holds nothing, or the change
  /// adds to it whatever it holds.
  var after: Document.Value? {
    if case .assign(let value, _) = change { value } else { nil }
  }

  /// Whether what one does can be seen by the other: one path is, or leads to, the
  /// other.
  func overlaps(_ other: Document.FieldChange) -> Bool {
    zip(path.names, other.path.names).allSatisfy { $0 == $1 }
  }

  /// The change with moments as a server is told of them.
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

  /// The change with another memory of what was there before.
  func replacing(before: Document.Value?) -> Document.FieldChange {
    switch change {
    case .assign(let value, _): Document.FieldChange(path, .assign(value, before: before))
    case .remove: Document.FieldChange(path, .remove(before: before))
    case .increment, .insert, .take: self
    }
  }
}

extension Document.FieldChange {
  /// The changes by which what a field held before became what it is assigned.
  ///
  /// Counters and sets, in objects too, change by what differs. Other changes are as they
  /// are.
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

  /// The change by which a count becomes another; none where it is that already.
  static func counting(
    from old: Int64, to new: Int64, at path: FieldPath
  ) -> [Document.FieldChange] {
    let (difference, overflows) = new.subtractingReportingOverflow(old)
    if overflows { return [Document.FieldChange(path, .assign(.int(new), before: .int(old)))] }
    return difference == 0 ? [] : [Document.FieldChange(path, .increment(difference))]
  }

  /// The changes by which the elements of a set become others.
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
  /// The value with its numbers in the kinds that they have in another value, where
  /// they are worth the same.
  ///
  /// JSON has one kind of number, so that a server gives 2 for what was 2.0 here: that
  /// is no change.
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

  /// Whether the values are the same, whichever kinds their numbers have.
  func isWorth(_ other: Document.Value) -> Bool { takingKinds(of: other) == other }
}
