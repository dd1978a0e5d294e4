import CRDTKit

/// An edit of a text, as the oracle records it.
struct OracleTextEdit: Equatable, Sendable {
  var splices: [TextSplice]
  /// What the text must read as afterwards, where the typist has set it.
  var target: [Unicode.Scalar]?
}

extension ReplicatedText: WorldValue {
  static var rule: Oracle.Rule { .text }

  /// Makes the edit that a ``RandomTypist`` draws; the keys are spots of the text.
  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Self>, changes: [OracleChange]) {
    var typist = RandomTypist(number, spots: keys)
    let before = self
    let replica = stamp.replica
    switch typist.draw(in: self, by: replica) {
    case .splices(let splices):
      let delta = edit(by: replica) { editor in
        for splice in splices { editor.make(splice) }
      }
      return (delta, [OracleChange(text: OracleTextEdit(splices: splices))])
    case .set(let target):
      let string = String(String.UnicodeScalarView(target))
      let delta = edit(by: replica) { $0.set(to: string) }
      let splices = splices(since: before)
      return (delta, [OracleChange(text: OracleTextEdit(splices: splices, target: target))])
    }
  }

  /// What `set(to:)` has changed, in the order in which it does: from the end to the start.
  private func splices(since before: ReplicatedText) -> [TextSplice] {
    var growth = 0
    let splices = changes(since: before, in: .unicodeScalars).map { change in
      let inserted = Array(change.inserted.unicodeScalars)
      defer { growth += inserted.count - change.replaced.count }
      return TextSplice(
        position: change.replaced.lowerBound - growth, removed: change.replaced.count,
        inserted: inserted)
    }
    return splices.reversed()
  }

  /// The scalars of the text.
  func reading(of key: Int) -> [Int64] { String(self).unicodeScalars.map { Int64($0.value) } }

  static func words(of reading: [Int64]) -> String {
    var scalars = String.UnicodeScalarView()
    for number in reading {
      scalars.append(UInt32(exactly: number).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}")
    }
    return String(scalars).debugDescription
  }

  var writtenText: WrittenText? { WrittenText(self) }

  var summary: String { "a text of \(count(in: .unicodeScalars)) scalars" }
}

extension Editor where Value == ReplicatedText {
  /// Deletes and inserts what a splice says.
  fileprivate mutating func make(_ splice: TextSplice) {
    let text = text
    let start = text.index(splice.position, in: .unicodeScalars)
    let end = text.index(splice.position + splice.removed, in: .unicodeScalars)
    replaceSubrange(start..<end, with: String(String.UnicodeScalarView(splice.inserted)))
  }
}
