import CRDTKit

extension [Document.FieldChange] {
  /// Appends later changes, and combines them with these where possible.
  ///
  /// The changes of a field become one assignment or one count, because a server receives
  /// no more than that for a field. Insertions into a set and removals from it stay in
  /// order, so that they can be reverted; an envelope holds the outcome.
  mutating func join(_ later: [Document.FieldChange]) {
    guard !isEmpty else {
      self = later
      return
    }
    for change in later { join(change) }
  }

  private mutating func join(_ later: Document.FieldChange) {
    let places = indices.filter { self[$0].path == later.path }
    guard let last = places.last else { return append(later) }
    let isCovered = self[last...].dropFirst().contains { $0.overlaps(later) }
    guard !isCovered else {
      // A field that contains this one, or is inside it, has changed since.
      if later.isAssignment, places.count == 1, self[last].isAssignment {
        append(later.replacing(before: remove(at: last).before))
      } else {
        append(later)
      }
      return
    }
    switch later.change {
    case .assign, .remove:
      // An increment has no previous value.
      let first = self[places[0]]
      self[places[0]] = later.replacing(before: first.isAssignment ? first.before : later.before)
      for place in places.dropFirst().reversed() { remove(at: place) }
    case .increment, .insert, .take:
      guard let joined = self[last].adding(later.change) else { return append(later) }
      self[last] = joined
    }
  }
}

extension Document.FieldChange {
  /// The change combined with a later one of the same field; `nil` if they can't be
  /// combined.
  fileprivate func adding(_ later: Kind) -> Document.FieldChange? {
    switch (change, later) {
    case (.increment(let first), .increment(let second)):
      let (sum, overflows) = first.addingReportingOverflow(second)
      return overflows ? nil : Document.FieldChange(path, .increment(sum))
    case (.assign(.int(let value), let before), .increment(let amount)):
      let (sum, overflows) = value.addingReportingOverflow(amount)
      return overflows ? nil : Document.FieldChange(path, .assign(.int(sum), before: before))
    case (.assign(.array(let values), let before), .insert(let elements)):
      let all = values.adding(elements).sorted()
      return Document.FieldChange(path, .assign(.array(all), before: before))
    case (.assign(.array(let values), let before), .take(let elements)):
      let left = values.filter { !elements.contains($0) }
      return Document.FieldChange(path, .assign(.array(left), before: before))
    case (.remove(let before), .increment(let amount)):
      return Document.FieldChange(path, .assign(.int(amount), before: before))
    case (.remove(let before), .insert(let elements)):
      return Document.FieldChange(path, .assign(.array(elements.sorted()), before: before))
    default: return nil
    }
  }
}

extension [Document.Value] {
  /// The union of both, each element once.
  fileprivate func adding(_ others: [Document.Value]) -> [Document.Value] {
    let known = Set(self)
    return self + others.filter { !known.contains($0) }
  }
}

extension [Document.FieldChange] {
  /// Converts changes that create a record into changes that replace an old one.
  ///
  /// Fields that are gone are removed; counts and sets change by their differences.
  func replacing(_ old: [String: Document.Value]) -> [Document.FieldChange] {
    var changes = removals(from: .object(old), at: [])
    for change in self { changes += change.replacing(.object(old)) }
    return changes
  }

  /// The parts of an old value that none of the changes assigns again.
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
  /// The changes with the same outcome as this one if there was a value before.
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

extension [String: Document.Value] {
  /// The changes that assign these fields to a record that has none, or had others before
  /// its deletion.
  func assignments(over old: [String: Document.Value] = [:]) -> [Document.FieldChange] {
    sorted { $0.key.comes(before: $1.key) }
      .map { Document.FieldChange([$0.key], .assign($0.value, before: old[$0.key])) }
  }
}
