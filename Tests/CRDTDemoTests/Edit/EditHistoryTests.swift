import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import crdt_demo

@Suite("Undo in an editor")
struct EditHistoryTests {
  private static let (mine, theirs) = (ReplicaID.random(), ReplicaID.random())

  /// A document with one text.
  private struct Copy {
    var document: Document
    var clock: HybridLogicalClock
    var history: EditHistory

    init(replica: ReplicaID) {
      document = Document(schema: Schema(collections: ["t": .init(fields: ["b": .text])]))
      clock = HybridLogicalClock(replica: replica)
      history = EditHistory(of: replica)
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

  /// A step of somebody who writes alone.
  private enum Step: Hashable {
    /// Replace up to `count` scalars from `position % (length + 1)` on.
    case replace(position: Int, count: Int, String)
    case undo, redo

    init(using random: inout SeededGenerator) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3: self = .undo
      case 3..<5: self = .redo
      default:
        self = .replace(
          position: Int.random(in: 0..<1_000, using: &random),
          count: [0, 0, 0, 1, 1, 4].randomElement(using: &random) ?? 0,
          ["", "x", "é", "漢\n", "abcdef", "👍"].randomElement(using: &random) ?? "")
      }
    }
  }

  /// The range in UTF-8 of some scalars of a text.
  private static func range(of text: String, _ position: Int, _ count: Int) -> Range<Int> {
    let lengths = text.unicodeScalars.map { String($0).utf8.count }
    let start = position % (lengths.count + 1)
    let lower = lengths[..<start].reduce(0, +)
    return lower..<lower + lengths[start...].prefix(count).reduce(0, +)
  }

  /// Plays steps beside a list of the texts that were there; says where the two differ.
  private static func failure(of steps: [Step]) -> String? {
    var copy = Copy(replica: mine)
    copy.replace(0..<0, with: "some text\nof two lines")
    copy.history.endEdit()
    var (states, place) = ([copy.text], 0)
    let end = [Step](repeating: .undo, count: steps.count)
    for (number, step) in (steps + end + end.map { _ in .redo }).enumerated() {
      switch step {
      case .replace(let position, let count, let string):
        let range = range(of: copy.text, position, count)
        guard !range.isEmpty || !string.isEmpty else { continue }
        copy.replace(range, with: string)
        copy.history.endEdit()
        place += 1
        states.removeSubrange(place...)
        states.append(copy.text)
      case .undo where place > 0:
        guard copy.undo() != nil else { return "step \(number): nothing to undo" }
        place -= 1
      case .redo where place < states.count - 1:
        guard copy.redo() != nil else { return "step \(number): nothing to do again" }
        place += 1
      default: continue
      }
      if copy.text != states[place] {
        return "step \(number): \([copy.text]), not \([states[place]])"
      }
    }
    return nil
  }

  @Test("goes through the same states back and forth, of a text that one writes alone")
  func alone() {
    for seed in 0..<10 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let steps = (0..<Int.random(in: 1...30, using: &random)).map { _ in Step(using: &random) }
      guard Self.failure(of: steps) != nil else { continue }
      let least = shrink(steps) { Self.failure(of: $0) != nil }
      Issue.record("seed \(seed): \(Self.failure(of: least) ?? "") of \(least)")
      return
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
        if case .replace(let position, _, let string) = Step(using: &random) {
          mine.replace(Self.range(of: mine.text, position, 0), with: string)
        }
        if Bool.random(using: &random) { mine.history.endEdit() }
        if case .replace(let position, let count, let string) = Step(using: &random) {
          theirs.replace(Self.range(of: theirs.text, position, count), with: string)
        }
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
