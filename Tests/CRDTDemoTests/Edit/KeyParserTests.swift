import CRDTStoreTesting
import Testing

@testable import Toolkit

@Suite("Keys of a terminal")
struct KeyParserTests {
  private static func keys(_ text: String) -> [Key] {
    var parser = KeyParser()
    return parser.parse(Array(text.utf8))
  }

  @Test("are known by what terminals send for them")
  func known() {
    let sequences: [(String, [Key])] = [
      ("aé漢👍", [.text("aé漢👍")]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]),
      ("\u{7F}\u{8}", [.backspace, .backspace]), ("\u{1A}\u{19}", [.control("z"), .control("y")]),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
      ("\u{1B}OA\u{1B}OH\u{1B}OF", [.up, .home, .end]), ("\u{1B}[H\u{1B}[F", [.home, .end]),
      ("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.home, .end, .home, .end]),
      ("\u{1B}[3~\u{1B}[5~\u{1B}[6~", [.delete, .pageUp, .pageDown]),
      ("\u{1B}[1;5C", [.right]), ("a\u{1B}[Ab", [.text("a"), .up, .text("b")]),
      ("\u{1B}[200~a\r\nb\rc\u{1B}[A\u{1B}[201~d", [.paste("a\nb\nc\u{1B}[A"), .text("d")]),
    ]
    for (text, keys) in sequences { #expect(Self.keys(text) == keys, "\(text.debugDescription)") }
  }

  @Test("pass over what isn't known, and nothing more")
  func unknown() {
    for sequence in [
      "[15~", "[[A", "[?1;2c", "[<0;1;2M", "[97;5u", "OP", "x", "é", "漢", "\u{1B}[15~",
      "]0;title\u{7}", "]0;title\u{1B}\\", "P1$r\u{1B}\\", "[\u{1B}[15~",
    ] {
      let keys = Self.keys("\u{1B}\(sequence)ab")
      #expect(keys == [.text("ab")], "\(sequence.debugDescription): \(keys)")
    }
    #expect(Self.keys("\0\u{1C}\u{1F}a") == [.text("a")])
    var parser = KeyParser()
    #expect(parser.parse([0x80, 0x61, 0xC3, 0x0D]) == [.text("\u{FFFD}a\u{FFFD}"), .enter])
  }

  @Test("are given up where only the escape key was pressed")
  func escape() {
    var parser = KeyParser()
    #expect(parser.parse([0x1B]) == [] && parser.isInSequence)
    parser.giveUp()
    #expect(!parser.isInSequence && parser.parse([0x61]) == [.text("a")])
    // A character that is cut isn't one of these.
    #expect(parser.parse([0xC3]) == [] && !parser.isInSequence)
    parser.giveUp()
    #expect(parser.parse([0xA9]) == [.text("é")])
    // A sequence without an end isn't kept.
    for _ in 0..<3 { _ = parser.parse([0x1B, 0x5D] + [UInt8](repeating: 0x20, count: 3_000)) }
    #expect(parser.parse([0x1B, 0x5C, 0x61]) == [.text("a")])
  }

  @Test("are the same wherever the bytes are cut")
  func cuts() {
    let pieces = [
      "a", "é", "漢字", "👩‍👩‍👧", "\r", "\t", "\u{1B}[A", "\u{1B}OB", "\u{1B}[3~", "\u{1B}[1;5C",
      "\u{1B}x",
      "\u{1B}]0;t\u{7}", "\u{1B}[200~p\r\nq\rr\u{1B}[201\u{1B}[201~", "\u{1A}", "\0", "\u{7F}",
    ]
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let text = (0..<Int.random(in: 1...12, using: &random))
        .map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
      let bytes = Array(text.utf8)
      var (parser, keys, place) = (KeyParser(), [Key](), 0)
      while place < bytes.count {
        let end = min(place + Int.random(in: 1...4, using: &random), bytes.count)
        keys += parser.parse(bytes[place..<end])
        place = end
      }
      #expect(
        Self.joined(keys) == Self.joined(Self.keys(text)), "seed \(seed): \(text.debugDescription)")
    }
  }

  /// The keys with texts that follow one another as one text.
  private static func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { keys, key in
      switch (keys.last, key) {
      case (.text(let text)?, .text(let more)): keys[keys.count - 1] = .text(text + more)
      case (.paste(let text)?, .paste(let more)): keys[keys.count - 1] = .paste(text + more)
      default: keys.append(key)
      }
    }
  }
}
