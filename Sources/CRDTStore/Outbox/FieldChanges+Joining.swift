import CRDTKit

extension [Document.FieldChange] {
  /// Adds changes that come after these, as far as possible as one with them.
  ///
  /// A field's changes come to be one assignment, one count, or elements that go and
  /// then elements that come: a server is told of no more of a field.
  mutating func join(_ later: [Document.FieldChange]) {
    for change in later { join(change) }
  }

  private mutating func join(_ later: Document.FieldChange) {
    let places = indices.filter { self[$0].path == later.path }
    guard let last = places.last else { return append(later) }
    let isCovered = self[last...].dropFirst().contains { $0.overlaps(later) }
    guard !isCovered else {
      // What leads to the field, or is within it, was changed since.
      if later.isAssignment, places.count == 1, self[last].isAssignment {
        append(later.replacing(before: remove(at: last).before))
      } else {
        append(later)
      }
      return
    }
    switch later.change {
    case .assign, .remove:
      // What a field was counted up by has no memory of what it held.
      let first = self[places[0]]
      self[places[0]] = later.replacing(before: first.isAssignment ? first.before : later.before)
      for place in places.dropFirst().reversed() { remove(at: place) }
    case .increment, .insert, .take:
      guard let joined = self[last].adding(later.change) else { return join(later, at: places) }
      self[last] = joined
    }
  }

  /// Adds elements that come or go to those before.
  private mutating func join(_ later: Document.FieldChange, at places: [Int]) {
    var (taken, inserted): ([Document.Value], [Document.Value]) = ([], [])
    for place in places {
      switch self[place].change {
      case .insert(let elements): inserted = elements
      case .take(let elements): taken = elements
      case .assign, .remove, .increment: return append(later)
      }
    }
    switch later.change {
    case .insert(let elements): inserted = inserted.adding(elements)
    case .take(let elements):
      inserted.removeAll { elements.contains($0) }
      taken = taken.adding(elements)
    case .assign, .remove, .increment: return append(later)
    }
    var joined: [Document.FieldChange] = []
    if !taken.isEmpty { joined.append(Document.FieldChange(later.path, .take(taken))) }
    if !inserted.isEmpty { joined.append(Document.FieldChange(later.path, .insert(inserted))) }
    for place in places.dropFirst().reversed() { remove(at: place) }
    replaceSubrange(places[0]...places[0], with: joined)
  }
}

extension Document.FieldChange {
  /// The change with a later one of the same field in it; `nil` where that isn't one
  /// change.
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
  /// The elements and others, each once.
  fileprivate func adding(_ others: [Document.Value]) -> [Document.Value] {
    let known = Set(self)
    return self + others.filter { !known.contains($0) }
  }
}
