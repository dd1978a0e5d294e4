import CRDTKit
import CRDTStoreTesting
import Testing

@testable import crdt_demo

@Suite("Undo in an editor")
struct EditHistoryTests {
  private static let (mine, theirs) = (ReplicaID.random(), ReplicaID.random())

  /// A document with one text.
  private struct Copy {
    var document: Document
    var clock: HybridLogicalClock
    var history = EditHistory()

    init(replica: ReplicaID) {
      document = Document(schema: Schema(collections: ["t": .init(fields: ["b": .text])]))
      clock = HybridLogicalClock(replica: replica)
    }

    var text: String { document.text(of: "b", of: "r", in: "t").map { String($0) } ?? "" }

    mutating func edit<Result>(
      _ body: (inout Document.TextEditor, inout EditHistory) -> Result
    ) -> Result? {
      var result: Result?
      document.edit(at: clock.now(wallMilliseconds: 1)) { edit in
        edit.editText("b", of: "r", in: "t") { result = body(&$0, &history) }
      }
      return result
    }

    mutating func replace(_ range: Range<Int>, with string: String) {
      _ = edit { text, history in history.replace(range, with: string, in: &text) }
    }

    mutating func type(_ string: String, at offset: Int) {
      var offset = offset
      for character in string {
        replace(offset..<offset, with: String(character))
        offset += character.utf8.count
      }
    }

    /// Returns where the caret is then.
    mutating func undo() -> Int? { edit { $1.undo(in: &$0) } ?? nil }
    mutating func redo() -> Int? { edit { $1.redo(in: &$0) } ?? nil }
  }

  @Test("takes back what was typed at once, and what was removed at once")
  func steps() {
    var copy = Copy(replica: Self.mine)
    copy.type("one\ntwo", at: 0)
    copy.history.endEdit()
    for place in [6, 5] { copy.replace(place..<place + 1, with: "") }
    copy.replace(0..<1, with: "")
    copy.replace(0..<1, with: "")
    copy.replace(0..<1, with: "")
    #expect(copy.text == "\nt")
    var seen: [String] = []
    while let caret = copy.undo() { seen.append("\(caret): \(copy.text)") }
    #expect(seen == ["3: one\nt", "7: one\ntwo", "4: one\n", "0: "])
    seen = []
    while let caret = copy.redo() { seen.append("\(caret): \(copy.text)") }
    #expect(seen == ["4: one\n", "7: one\ntwo", "5: one\nt", "0: \nt"])
    _ = copy.undo()
    copy.type("!", at: 0)
    #expect(copy.redo() == nil && copy.text == "!one\nt")
  }

  /// Some random edit: a range in whole scalars, and what comes in its place.
  private static func change(
    of text: String, using random: inout SeededGenerator
  ) -> (Range<Int>, String) {
    let scalars = Array(text.unicodeScalars)
    let start = Int.random(in: 0...scalars.count, using: &random)
    let count = [0, 0, 0, 1, 1, 4].randomElement(using: &random) ?? 0
    let end = min(start + count, scalars.count)
    let length = { (scalars: ArraySlice<Unicode.Scalar>) in
      scalars.reduce(0) { $0 + String($1).utf8.count }
    }
    let lower = length(scalars[..<start])
    let string = ["", "x", "é", "漢\n", "abcdef", "👍"].randomElement(using: &random) ?? ""
    return (lower..<lower + length(scalars[start..<end]), string)
  }

  @Test("goes through the same states back and forth, of a text that one writes alone")
  func alone() {
    for seed in 0..<12 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var copy = Copy(replica: Self.mine)
      copy.replace(0..<0, with: "some text\nof two lines")
      copy.history.endEdit()
      var states = [copy.text]
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let (range, string) = Self.change(of: copy.text, using: &random)
        guard !range.isEmpty || !string.isEmpty else { continue }
        copy.replace(range, with: string)
        copy.history.endEdit()
        states.append(copy.text)
      }
      var place = states.count - 1
      for step in 0..<50 {
        let isBack = Int.random(in: 0..<5, using: &random) < (step < 25 ? 4 : 1)
        guard isBack ? place > 0 : place < states.count - 1 else { continue }
        #expect((isBack ? copy.undo() : copy.redo()) != nil, "seed \(seed)")
        place += isBack ? -1 : 1
        #expect(copy.text == states[place], "seed \(seed), step \(step)")
        if copy.text != states[place] { return }
      }
    }
  }

  @Test("takes back all of one's own, and nothing of others, who write at the same time")
  func together() {
    for seed in 0..<16 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var (mine, theirs) = (Copy(replica: Self.mine), Copy(replica: Self.theirs))
      theirs.replace(0..<0, with: "some text\nof two lines")
      mine.document.merge(theirs.document)
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        // Only insertions: what is removed comes back as one's own.
        let (range, string) = Self.change(of: mine.text, using: &random)
        mine.replace(range.lowerBound..<range.lowerBound, with: string)
        if Bool.random(using: &random) { mine.history.endEdit() }
        let (theirRange, theirString) = Self.change(of: theirs.text, using: &random)
        theirs.replace(theirRange, with: theirString)
        if Int.random(in: 0..<3, using: &random) == 0 { mine.document.merge(theirs.document) }
        if Int.random(in: 0..<3, using: &random) == 0 { theirs.document.merge(mine.document) }
      }
      mine.document.merge(theirs.document)
      let others = mine.document.text(of: "b", of: "r", in: "t").map { text in
        text.authors(in: text.startIndex..<text.endIndex)
          .filter { $0.replica == Self.theirs }.map { text[$0.range] }.joined()
      }
      while mine.undo() != nil {}
      #expect(mine.text == others, "seed \(seed)")
    }
  }
}
