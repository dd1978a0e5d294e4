import CRDTKit

extension [Document.FieldChange] {
  /// What makes a record that holds some fields one that these changes made from
  /// nothing: what it doesn't have any more goes, counts and sets change by what differs.
  func replacing(_ old: [String: Document.Value]) -> [Document.FieldChange] {
    var changes = removals(from: .object(old), at: [])
    for change in self { changes += change.replacing(.object(old)) }
    return changes
  }

  /// What of an old value none of the changes gives anew.
  private func removals(from old: Document.Value, at path: [String]) -> [Document.FieldChange] {
    guard case .object(let fields) = old else { return [] }
    var removals: [Document.FieldChange] = []
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      let removal = Document.FieldChange(FieldPath(path + [name]), .remove(before: value))
      let others = filter { $0.overlaps(removal) }
      if others.isEmpty {
        removals.append(removal)
      } else if others.allSatisfy({ $0.path.names.count > path.count + 1 }) {
        removals += self.removals(from: value, at: path + [name])
      }
    }
    return removals
  }
}

extension Document.FieldChange {
  /// The changes that have the outcome of this one where there was something before.
  fileprivate func replacing(_ old: Document.Value) -> [Document.FieldChange] {
    var value: Document.Value? = old
    for name in path.names {
      guard case .object(let fields)? = value else { return [self] }
      value = fields[name]
    }
    switch (change, value) {
    case (.assign(let new, _), let value):
      return [Document.FieldChange(path, .assign(new, before: value))]
    case (.increment(let new), .int(let count)?):
      return Self.counting(from: count, to: new, at: path)
    case (.insert(let new), .array(let elements)?):
      return Self.exchanging(elements, for: new, at: path)
    default: return [self]
    }
  }
}
