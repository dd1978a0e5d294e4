import CRDTKit

/// Judges a text where one name may be used in two places: each element is a scalar that
/// nobody else types, so that it is known without names of events.
///
/// When a fork is mended, elements get other names, by which the order of what was written
/// concurrently at one place is decided. So of the order it judges only what no name
/// decides: what somebody has typed in one go stays in its order. That all replicas come to
/// the same order is judged by their bytes.
struct TextLineOracle {
  /// What an edit did to the text.
  private struct Entry {
    var serial: Int
    var inserted: [Int64] = []
    var deleted: [Int64] = []
    /// Pairs of scalars, of which the first is typed before or after the second, without
    /// anything between them, so that it stays before it.
    var pairs: [(Int64, Int64)] = []
  }

  private var entries: [Entry] = []

  /// Adds an edit, made in the text that its writer read.
  ///
  /// Returns what is wrong with it.
  mutating func record(_ edit: RecordedEdit) -> String? {
    guard let change = edit.change.text else { return "an edit of a text has no splices" }
    var entry = Entry(serial: edit.serial)
    var view = edit.read
    for splice in change.splices {
      let end = splice.position + splice.removed
      guard end <= view.count else {
        return "an edit reaches beyond the text that its writer had read: \(splice)"
      }
      entry.deleted += view[splice.position..<end]
      let scalars = splice.inserted.map { Int64($0.value) }
      view.replaceSubrange(splice.position..<end, with: scalars)
      entry.inserted += scalars
      let own = Set(entry.inserted)
      for place in splice.position..<splice.position + scalars.count {
        if place > 0, own.contains(view[place - 1]) {
          entry.pairs.append((view[place - 1], view[place]))
        }
        if place + 1 < view.count, own.contains(view[place + 1]) {
          entry.pairs.append((view[place], view[place + 1]))
        }
      }
    }
    entries.append(entry)
    let target = change.target.map { $0.map { Int64($0.value) } }
    return target == nil || target == view ? nil : "the text is not what it was set to"
  }

  /// What is wrong with a text in which the effects of all required edits must be, and of no
  /// others than the possible ones may be.
  ///
  /// - Complexity: Expected O(elements).
  func problem(of text: [Int64], required: Shadow, possible: Shadow) -> String? {
    var (due, allowed) = (Set<Int64>(), Set<Int64>())
    for entry in entries where possible.contains(entry.serial) {
      allowed.formUnion(entry.inserted)
      if required.contains(entry.serial) { due.formUnion(entry.inserted) }
    }
    for entry in entries where possible.contains(entry.serial) {
      due.subtract(entry.deleted)
      if required.contains(entry.serial) { allowed.subtract(entry.deleted) }
    }
    var places: [Int64: Int] = [:]
    for (place, scalar) in text.enumerated() {
      if places.updateValue(place, forKey: scalar) != nil { return words(scalar, "is there twice") }
      if !allowed.contains(scalar) { return words(scalar, "is there, but was deleted or lost") }
    }
    if let missing = due.filter({ places[$0] == nil }).min() { return words(missing, "is missing") }
    for entry in entries where possible.contains(entry.serial) {
      for (one, other) in entry.pairs {
        guard let first = places[one], let second = places[other], first > second else { continue }
        return words(one, "is behind what it was typed before")
      }
    }
    return nil
  }

  /// What is wrong with one element, named by the edit that inserted it.
  private func words(_ scalar: Int64, _ problem: String) -> String {
    let serial = entries.first { $0.inserted.contains(scalar) }?.serial
    let name = "U+" + String(scalar, radix: 16, uppercase: true)
    return "\(name) of \(serial.map { "edit \($0)" } ?? "no known edit") \(problem)"
  }
}
