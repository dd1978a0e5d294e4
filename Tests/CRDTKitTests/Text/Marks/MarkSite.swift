import CRDTKit

/// A replica of a text, beside all marks that it has seen, of which none is ever removed.
///
/// Where the characters stand, dead ones too, is taken from the text.
struct MarkSite {
  /// A mark as it was made.
  struct Mark {
    let name: String
    let value: String?
    let start: Edge
    let end: Edge
    let stamp: Int

    var growsAtStart: Bool {
      if case .before = start { false } else { true }
    }

    var growsAtEnd: Bool {
      if case .after = end { false } else { true }
    }
  }

  /// A place beside a character, or the start or the end of the text.
  enum Edge: Hashable {
    case textStart
    case before(Dot)
    case after(Dot)
    case textEnd
  }

  var text = ReplicatedText()
  var marks: [Dot: Mark] = [:]

  mutating func merge(_ other: MarkSite) {
    text.merge(other.text)
    marks.merge(other.marks) { mine, _ in mine }
  }

  /// A range of the visible characters; `nil` if there are none.
  func range(_ range: Range<Int>) -> Range<Int>? {
    let count = text.count(in: .unicodeScalars)
    let clamped = range.clamped(to: 0..<count)
    return clamped.isEmpty ? nil : clamped
  }

  /// Marks the text and the model.
  mutating func mark(
    _ range: Range<Int>, _ name: String, _ value: String?, _ growth: ReplicatedText.Growth,
    by replica: ReplicaID
  ) {
    let visible = text._table.orderedElements.filter { !$0.isDead }.map(\.dot)
    let winners = winners(of: name)
    var growsAtStart = growth == .atStart || growth == .both
    var growsAtEnd = growth == .atEnd || growth == .both
    let isNeeded: Bool
    if let value {
      isNeeded = !range.allSatisfy { winners[$0]?.value == value }
      text.mark(text.places(range), as: name, value: value, growing: growth, by: replica)
    } else {
      isNeeded = range.contains { winners[$0]?.value != nil }
      let left = range.lowerBound > 0 ? winners[range.lowerBound - 1] : nil
      let right = range.upperBound < visible.count ? winners[range.upperBound] : nil
      growsAtStart = left?.value == nil || left?.growsAtEnd == false
      growsAtEnd = right?.value == nil || right?.growsAtStart == false
      text.unmark(text.places(range), as: name, by: replica)
    }
    guard isNeeded else { return }
    let before = range.lowerBound > 0 ? Edge.after(visible[range.lowerBound - 1]) : .textStart
    let behind =
      range.upperBound < visible.count ? Edge.before(visible[range.upperBound]) : .textEnd
    marks[Dot(replica, text.version[replica])] = Mark(
      name: name, value: value,
      start: growsAtStart ? before : .before(visible[range.lowerBound]),
      end: growsAtEnd ? behind : .after(visible[range.upperBound - 1]),
      stamp: (marks.values.lazy.filter { $0.name == name }.map(\.stamp).max() ?? 0) + 1)
  }

  /// The mark that counts for each visible character.
  func winners(of name: String, among marks: [Dot: Mark]? = nil) -> [Mark?] {
    let elements = text._table.orderedElements
    var places: [Dot: Int] = [:]
    for (place, element) in elements.enumerated() { places[element.dot] = place }
    func rank(_ edge: Edge) -> Int? {
      switch edge {
      case .textStart: -1
      case .before(let dot): places[dot].map { 2 * $0 }
      case .after(let dot): places[dot].map { 2 * $0 + 1 }
      case .textEnd: .max
      }
    }
    let candidates = (marks ?? self.marks).filter { $0.value.name == name }.sorted {
      ($0.value.stamp, $0.key) < ($1.value.stamp, $1.key)
    }
    return elements.indices.filter { !elements[$0].isDead }.map { place in
      candidates.last {
        guard let start = rank($0.value.start), let end = rank($0.value.end) else { return false }
        return start <= 2 * place && 2 * place + 1 <= end
      }?.value
    }
  }

  /// The marks of each visible character.
  func marked(among marks: [Dot: Mark]? = nil) -> [[String: String]] {
    var result = Array(repeating: [String: String](), count: text.count(in: .unicodeScalars))
    for name in Set((marks ?? self.marks).values.map(\.name)) {
      for (place, mark) in winners(of: name, among: marks).enumerated() {
        result[place][name] = mark?.value
      }
    }
    return result
  }

  /// How the text differs from the model; also after a round trip through bytes.
  var problem: String? {
    text._table.checkEveryInvariant()
    let expected = marked()
    let bytes = text.encoded()
    guard let decoded = try? ReplicatedText(decoding: bytes) else { return "not decoded" }
    if decoded != text || decoded.encoded() != bytes { return "another text after decoding" }
    if decoded.contentDigest != text.contentDigest { return "another digest after decoding" }
    for text in [text, decoded] {
      let runs = Array(text.runs)
      let shown = runs.flatMap { run in
        Array(repeating: run.marks, count: text[run.range].unicodeScalars.count)
      }
      if shown != expected { return "\(shown) instead of \(expected)" }
      if zip(runs, runs.dropFirst()).contains(where: { $0.marks == $1.marks }) {
        return "two runs with the same marks"
      }
    }
    return nil
  }

  /// How the changes of marks that the text reports differ from the model's.
  func problem(since earlier: MarkSite) -> String? {
    let (now, then) = (marked(), marked(among: earlier.marks))
    var isChanged = Array(repeating: false, count: now.count)
    for range in text.markChanges(since: earlier.text) {
      let first = text.offset(of: range.lowerBound, in: .unicodeScalars)
      for place in first..<text.offset(of: range.upperBound, in: .unicodeScalars) {
        isChanged[place] = true
      }
    }
    let expected = zip(now, then).map { $0 != $1 }
    return isChanged == expected ? nil : "changes: \(isChanged) instead of \(expected)"
  }
}
