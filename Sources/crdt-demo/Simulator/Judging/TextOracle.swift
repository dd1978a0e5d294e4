import CRDTKit
import Toolkit

/// Computes what a text must read as at any version: by the plain tree of FugueMax, and by
/// what each writer had seen.
///
/// It shares nothing with the code under test except the names of events.
struct TextOracle {
  /// All elements that were ever inserted, none dead.
  private var sequence = NaiveSequence()
  /// The events that deleted an element.
  private var deletions: [ElementID: [ElementID]] = [:]

  /// An element as a writer had it.
  private struct Element {
    var id: ElementID
    var isVisible: Bool
  }

  /// Adds the elements and deletions of an edit; returns what is wrong with it.
  ///
  /// - Complexity: O(elements) for each part of the edit.
  mutating func record(_ edit: RecordedEdit) -> String? {
    guard let change = edit.change.text else { return "an edit of a text has no splices" }
    var elements = elements(at: edit.observed)
    var event = ElementID(
      replica: edit.replica.rawValue, counter: edit.observed[edit.replica])
    for splice in change.splices {
      guard make(splice, in: &elements, after: &event) else {
        return "an edit reaches beyond the text that its writer had seen: \(splice)"
      }
    }
    if event.counter != edit.counter {
      return "an edit made the events up to \(edit.counter), not \(event.counter)"
    }
    guard let target = change.target else { return nil }
    let found = elements.filter(\.isVisible).compactMap { sequence.node($0.id)?.scalar }
    return found == target ? nil : "the text is not what it was set to"
  }

  private mutating func make(
    _ splice: TextSplice, in elements: inout [Element], after event: inout ElementID
  ) -> Bool {
    var place = 0
    var left: ElementID?
    var rest = splice.position
    while rest > 0 {
      guard place < elements.count else { return false }
      if elements[place].isVisible { (left, rest) = (elements[place].id, rest - 1) }
      place += 1
    }
    if splice.removed > 0 {
      event.counter += 1
      guard delete(splice.removed, from: place, in: &elements, by: event) else { return false }
    }
    let next = place < elements.count ? elements[place].id : nil
    let made = sequence.makeInserts(
      splice.inserted, replica: event.replica, firstCounter: event.counter + 1, between: left,
      and: next)
    event.counter += UInt64(made.count)
    for node in made { sequence.insert(node) }
    elements.insert(
      contentsOf: made.map { Element(id: $0.id, isVisible: true) }, at: place)
    return true
  }

  private mutating func delete(
    _ count: Int, from start: Int, in elements: inout [Element], by event: ElementID
  ) -> Bool {
    var (place, rest) = (start, count)
    while rest > 0 {
      guard place < elements.count else { return false }
      if elements[place].isVisible {
        deletions[elements[place].id, default: []].append(event)
        elements[place].isVisible = false
        rest -= 1
      }
      place += 1
    }
    return true
  }

  /// The elements that were seen at a version, in order.
  private func elements(at version: VersionVector) -> [Element] {
    let seen = Dictionary(
      version.map { ($0.replica.rawValue, $0.counter) }, uniquingKeysWith: max)
    func isSeen(_ event: ElementID) -> Bool { event.counter <= seen[event.replica] ?? 0 }
    return sequence.elements.compactMap { node in
      guard isSeen(node.id) else { return nil }
      let isDeleted = deletions[node.id]?.contains(where: isSeen) ?? false
      return Element(id: node.id, isVisible: !isDeleted)
    }
  }

  /// The scalars of the text at a version.
  ///
  /// - Complexity: O(elements).
  func reading(at version: VersionVector) -> [Int64] {
    elements(at: version).compactMap { element in
      element.isVisible ? sequence.node(element.id).map { Int64($0.scalar.value) } : nil
    }
  }
}
