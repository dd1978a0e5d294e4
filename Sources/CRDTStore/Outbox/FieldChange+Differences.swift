import CRDTKit

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
