import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// The elements in states and deltas, beside an encoder and a decoder that follow the article
/// on the format and know nothing of how elements are stored.
@Suite("Elements of texts by the article on the format")
struct TextCodingLawTests {
  /// What is done to a text of one of three replicas.
  ///
  /// Positions are taken modulo what there is.
  private enum Step: Hashable {
    /// Write many characters in one edit.
    case paste(Int, position: Int, String, count: Int)
    /// Write single characters, delete the last of them one by one, and write one more.
    case type(Int, position: Int, count: Int, deletions: Int)
    /// Write to the last event but a few of a page, so that what follows passes its border.
    case fill(Int, position: Int, left: Int)
    case delete(Int, position: Int, count: Int)
    case undo(Int)
    case redo(Int)
    case merge(Int, from: Int)

    init(using random: inout SeededGenerator) {
      let replica = random.below(3)
      let position = random.below(3) == 0 ? random.below(4) : random.below(100_000)
      let piece = ["a", "é", "漢", "👍"][min(random.below(10), 3)]
      switch random.below(12) {
      case 0, 1:
        let count = [1, 14, 15, 16, random.below(40) + 1, random.below(2_400) + 1]
        self = .paste(replica, position: position, piece, count: count[random.below(6)])
      case 2, 3:
        self = .type(
          replica, position: position, count: random.below(5) + 1, deletions: random.below(5))
      case 4: self = .fill(replica, position: position, left: random.below(12))
      case 5, 6:
        let count = random.below(4) == 0 ? 1_500 : 12
        self = .delete(replica, position: position, count: random.below(count) + 1)
      case 7, 8: self = .undo(replica)
      case 9: self = .redo(replica)
      default: self = .merge(replica, from: random.below(3))
      }
    }
  }

  /// A text of a replica, and what it can undo.
  private struct Site {
    var text = ReplicatedText()
    var stack: UndoStack
    let replica: ReplicaID

    init(_ replica: UInt64) {
      self.replica = ReplicaID(replica)
      stack = UndoStack(for: self.replica)
    }

    mutating func insert(_ string: String, at position: Int) {
      let place = text.place(position % (text.count(in: .unicodeScalars) + 1))
      stack.edit(&text) { $0.insert(string, at: place) }
    }

    mutating func delete(_ count: Int, from position: Int) {
      let length = text.count(in: .unicodeScalars)
      guard length > 0, count > 0 else { return }
      let first = position % length
      let range = text.places(first..<min(first + count, length))
      stack.edit(&text) { $0.removeSubrange(range) }
    }

    mutating func undo() { stack.undo(in: &text) }

    mutating func redo() { stack.redo(in: &text) }
  }

  private func act(_ step: Step, on sites: inout [Site]) {
    switch step {
    case .paste(let acting, let position, let piece, let count):
      sites[acting].insert(String(repeating: piece, count: count), at: position)
    case .type(let acting, let position, let count, let deletions):
      let start = position % (sites[acting].text.count(in: .unicodeScalars) + 1)
      for place in start..<start + count { sites[acting].insert("t", at: place) }
      let left = max(count - deletions, 0)
      for place in (left..<count).reversed() { sites[acting].delete(1, from: start + place) }
      sites[acting].insert("u", at: start + left)
    case .fill(let acting, let position, let left):
      let seen = Int(sites[acting].text.version[sites[acting].replica] % 1_024)
      let count = 1_024 - seen - left
      guard count > 0 else { return }
      sites[acting].insert(String(repeating: "f", count: count), at: position)
    case .delete(let acting, let position, let count):
      sites[acting].delete(count, from: position)
    case .undo(let acting): sites[acting].undo()
    case .redo(let acting): sites[acting].redo()
    case .merge(let acting, let other): sites[acting].text.merge(sites[other].text)
    }
  }

  @Test("texts, their states and their deltas after any base")
  func texts() {
    for seed in seeds(40, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      let steps = (0..<random.below(24) + 3).map { _ in Step(using: &random) }
      if let problem = shrunkenFailure(of: steps, seed: seed, failure) {
        Issue.record("\(problem)")
        return
      }
    }
  }

  private func failure(of steps: [Step]) -> String? {
    var sites = [1, 2, 0xFFFF_0000_0000_0001].map { Site($0) }
    for step in steps { act(step, on: &sites) }
    for site in sites.indices.dropFirst() { sites[0].text.merge(sites[site].text) }
    for site in sites {
      if let problem = stateProblem(site.text) { return "replica \(site.replica): \(problem)" }
    }
    let text = sites[0].text
    for part in 1...3 as ClosedRange<UInt64> {
      // In the middle of pages and runs, at the border of a page, and after a single replica.
      let bases = text.version.compactMap { entry -> VersionVector.Entry? in
        if part == 3, entry.replica != ReplicaID(1) { return nil }
        let base = part == 2 ? entry.counter / 1_024 * 1_024 : entry.counter * part / 4
        return base > 0 ? VersionVector.Entry(entry.replica, base) : nil
      }
      let base = VersionVector(sortedEntries: ContiguousArray(bases))
      if let problem = deltaProblem(text, since: base) { return "after \(base): \(problem)" }
    }
    return nil
  }

  /// What differs between a state and what the article says.
  private func stateProblem(_ text: ReplicatedText) -> String? {
    let bytes = text.encoded()
    let columns = text._table.plainElements()
    let replicas = columns.map(\.replica)
    var offset = elementsOffset(text.version.map(\.counter))
    for column in columns {
      let expected = Self.bytes(of: column.elements, replicas: replicas)
      let found = Array(bytes[offset...].prefix(expected.count))
      if found != expected { return Self.difference(found, expected, column.elements) }
      if !column.elements.isEmpty {
        guard
          let (elements, end) = try? PlainElementReader.decode(
            bytes, at: offset + 1, of: column.replica, replicas: replicas)
        else { return "not decoded by the article" }
        if end != offset + expected.count { return "ends at \(end)" }
        if elements != column.elements { return Self.difference(elements, column.elements) }
      }
      offset += expected.count
    }
    if offset != bytes.count - 4 { return "bytes after the elements" }
    guard let decoded = try? ReplicatedText(decoding: bytes) else { return "not decoded" }
    for (found, column) in zip(decoded._table.plainElements(), columns)
    where found.elements != column.elements {
      return "decoded: \(Self.difference(found.elements, column.elements))"
    }
    return nil
  }

  /// What differs between a delta and what the article says.
  private func deltaProblem(_ text: ReplicatedText, since base: VersionVector) -> String? {
    let delta = text.delta(since: base)
    let columns = text._table.plainElements(after: base)
    let replicas = columns.map(\.replica)
    let expected = columns.flatMap { column in
      Self.bytes(of: column.elements, after: base[ReplicaID(column.replica)], replicas: replicas)
    }
    let bytes = delta.encoded()
    if !bytes.contains(expected) { return "other bytes: \(bytes) don't have \(expected)" }
    guard let decoded = try? TableDelta<ReplicatedText>(decoding: bytes) else {
      return "not decoded"
    }
    let table = DotTable(columns: decoded.changes.columns)
    for (found, column) in zip(table.plainElements(after: base), columns) {
      if found.elements != column.elements {
        return "decoded: \(Self.difference(found.elements, column.elements))"
      }
      let own = Self.bytes(
        of: column.elements, after: base[ReplicaID(column.replica)], replicas: replicas)
      guard !column.elements.isEmpty else { continue }
      let read = try? PlainElementReader.decode(
        own, at: 1, of: column.replica, after: base[ReplicaID(column.replica)], replicas: replicas)
      if read?.elements != column.elements || read?.end != own.count { return "read otherwise" }
    }
    return nil
  }

  /// The bytes of a column without rows: its runs of rows, and its elements.
  private static func bytes(
    of elements: [PlainElement], after base: UInt64 = 0, replicas: [UInt64]
  ) -> [UInt8] {
    elements.isEmpty
      ? [0] : [1] + PlainElementWriter.encode(elements, after: base, replicas: replicas)
  }

  private static func difference(
    _ found: [UInt8], _ expected: [UInt8], _ elements: [PlainElement]
  ) -> String {
    let place = zip(found, expected).prefix { $0 == $1 }.count
    return "byte \(place) of \(found) should be as in \(expected); the elements: \(elements)"
  }

  private static func difference(_ found: [PlainElement], _ expected: [PlainElement]) -> String {
    for (found, expected) in zip(found, expected) where found != expected {
      return "\(found) instead of \(expected)"
    }
    return "\(found.count) elements instead of \(expected.count)"
  }
}
