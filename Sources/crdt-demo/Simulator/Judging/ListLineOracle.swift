import CRDTKit

/// Judges a list where one name may be used in two places: each value is one that nobody else
/// writes, so that an element is known by its values, without names of events.
///
/// When a fork is mended, elements get other names, by which the order of what was inserted
/// concurrently at one place is decided, and the place of what was moved concurrently. So of
/// the order it judges only what no name decides: what was inserted in one piece stays in its
/// order where nobody has moved it. That all replicas come to the same order is judged by their
/// bytes.
struct ListLineOracle {
  /// What an edit did to the list.
  private struct Entry {
    var serial: Int
    var written: [Int64] = []
    /// Values that it has replaced by others.
    var replaced: [Int64] = []
    /// First values of elements.
    var removed: [Int64] = []
    var moved: [Int64] = []
    /// Elements of which the second was inserted right behind the first, by their first values.
    var pairs: [(Int64, Int64)] = []
  }

  private var entries: [Entry] = []
  /// The value with which the element of each value was inserted.
  private var roots: [Int64: Int64] = [:]

  /// Adds an edit, made in the list that its writer read.
  ///
  /// Returns what is wrong with it.
  mutating func record(_ edit: RecordedEdit) -> String? {
    guard let changes = edit.change.list else { return "an edit of a list has no changes" }
    var entry = Entry(serial: edit.serial)
    var view = ListReading(numbers: edit.read).elements
    for change in changes {
      guard make(change, in: &view, &entry) else {
        return "an edit reaches beyond the list that its writer had read: \(change)"
      }
    }
    entries.append(entry)
    return nil
  }

  private mutating func make(
    _ change: ListChange, in view: inout [[Int64]], _ entry: inout Entry
  ) -> Bool {
    switch change {
    case .insert(let values, let index):
      guard 0...view.count ~= index else { return false }
      view.insert(contentsOf: values.map { [$0] }, at: index)
      entry.written += values
      for value in values { roots[value] = value }
      entry.pairs += zip(values, values.dropFirst())
    case .replace(let index, let value):
      guard view.indices ~= index else { return false }
      roots[value] = root(of: view[index])
      entry.replaced += view[index]
      entry.written.append(value)
      view[index] = [value]
    case .move(let indices, let target):
      guard indices.allSatisfy(view.indices.contains), 0...view.count ~= target else {
        return false
      }
      let moved = indices.map { view[$0] }
      entry.moved += moved.map(root)
      let rest = view.indices.filter { !indices.contains($0) }
      let place = rest.prefix { $0 < target }.count
      view = rest.map { view[$0] }
      view.insert(contentsOf: moved, at: place)
    case .remove(let range):
      guard range.upperBound <= view.count else { return false }
      entry.removed += view[range].map(root)
      view.removeSubrange(range)
    }
    return true
  }

  private func root(of values: [Int64]) -> Int64 {
    values.first.map { roots[$0] ?? $0 } ?? -1
  }

  /// What is wrong with a list in which the effects of all required edits must be, and of no
  /// others than the possible ones may be.
  ///
  /// - Complexity: Expected O(elements + edits).
  func problem(of numbers: [Int64], required: Shadow, possible: Shadow) -> String? {
    let elements = ListReading(numbers: numbers).elements
    let (due, allowed) = values(required, possible)
    var places: [Int64: Int] = [:]
    for (place, values) in elements.enumerated() {
      let root = root(of: values)
      if values.contains(where: { roots[$0] != root }) {
        return words(values[0], "has values of other elements")
      }
      if places.updateValue(place, forKey: root) != nil { return words(root, "is there twice") }
      if let wrong = values.first(where: { !allowed.contains($0) }) {
        return words(wrong, "is there, but was removed, replaced or lost")
      }
    }
    if let missing = due.subtracting(elements.joined()).min() {
      return words(missing, "is missing")
    }
    let known = entries.filter { possible.contains($0.serial) }
    let moved = Set(known.flatMap(\.moved))
    for (one, other) in known.flatMap(\.pairs) {
      guard !moved.contains(one), !moved.contains(other), let first = places[one],
        let second = places[other], first > second
      else { continue }
      return words(one, "is behind what it was inserted before")
    }
    return nil
  }

  /// The values that must be there, and those that may be.
  private func values(
    _ required: Shadow, _ possible: Shadow
  ) -> (due: Set<Int64>, allowed: Set<Int64>) {
    var (due, allowed) = (Set<Int64>(), Set<Int64>())
    let known = entries.filter { possible.contains($0.serial) }
    for entry in known {
      allowed.formUnion(entry.written)
      if required.contains(entry.serial) { due.formUnion(entry.written) }
    }
    var (mayBeRemoved, removed) = (Set<Int64>(), Set<Int64>())
    for entry in known {
      due.subtract(entry.replaced)
      mayBeRemoved.formUnion(entry.removed)
      guard required.contains(entry.serial) else { continue }
      allowed.subtract(entry.replaced)
      removed.formUnion(entry.removed)
    }
    due = due.filter { !mayBeRemoved.contains(roots[$0] ?? $0) }
    allowed = allowed.filter { !removed.contains(roots[$0] ?? $0) }
    return (due, allowed)
  }

  /// What is wrong with one element, named by the edit that wrote its value.
  private func words(_ value: Int64, _ problem: String) -> String {
    let serial = entries.first { $0.written.contains(value) }?.serial
    return "\(ListReading.words(of: [value])) of "
      + "\(serial.map { "edit \($0)" } ?? "no known edit") \(problem)"
  }
}
