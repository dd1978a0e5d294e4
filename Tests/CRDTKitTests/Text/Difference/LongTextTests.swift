import CRDTStoreTesting
import Testing

@testable import CRDTKit

@Suite struct LongTextTests {
  @Test func fewEditsInMuchText() {
    var random = SeededGenerator(seed: 1)
    for (byteCount, editCount) in [(100_000, 10), (1_000_000, 100), (1_000_000, 1)] {
      let old = random.prose(byteCount)
      let new = random.edited(old, count: editCount, pieces: ["x", "y", " "])
      let difference = CheckedDifference(old, new)
      #expect(difference.cost <= 8 * editCount)
      #expect(difference.steps <= 2_000_000)
    }
  }

  @Test func manyEdits() {
    var random = SeededGenerator(seed: 2)
    let old = random.prose(300_000)
    for editCount in [1000, 10_000] {
      let new = random.edited(old, count: editCount, pieces: ["x", "y", " "])
      // An edit removes two and inserts two scalars on average.
      let difference = CheckedDifference(old, new)
      #expect(difference.cost <= 6 * editCount)
    }
  }

  @Test func manyEditsWithoutSpaces() {
    var random = SeededGenerator(seed: 9)
    for alphabet in [0x61..<0x7B, 0x4E00..<0x5800] as [Range<UInt32>] {
      let pieces = alphabet.compactMap { Unicode.Scalar($0).map { String($0) } }
      let old = random.text(100_000, of: pieces)
      let new = random.edited(old, count: 3000, pieces: pieces)
      #expect(CheckedDifference(old, new).cost <= 6 * 3000)
    }
  }

  @Test func largeBlocks() {
    var random = SeededGenerator(seed: 3)
    let parts = (0..<5).map { _ in random.prose(60_000) }
    let insertion = CheckedDifference(parts[0] + parts[2], parts[0] + parts[1] + parts[2])
    #expect(insertion.cost == parts[1].utf8.count)
    let both = CheckedDifference(
      parts[0] + parts[1] + parts[2] + parts[3], parts[0] + parts[2] + parts[4] + parts[3])
    #expect(both.cost <= (parts[1].utf8.count + parts[4].utf8.count) * 11 / 10)
  }

  @Test func everyLineIndented() {
    var random = SeededGenerator(seed: 4)
    let lines = random.prose(300_000).split(separator: "\n")
    let difference = CheckedDifference(
      lines.joined(separator: "\n"), lines.joined(separator: "\n  "))
    #expect(difference.cost <= 2 * lines.count * 11 / 10)
  }

  @Test func unlikeTexts() {
    var random = SeededGenerator(seed: 5)
    let prose = (random.prose(1_000_000), random.prose(1_000_000))
    _ = CheckedDifference(prose.0, prose.1)
    let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
    _ = CheckedDifference(random.text(500_000, of: letters), random.text(500_000, of: letters))
    let signs = ["a", "b", "\n", " "]
    _ = CheckedDifference(random.text(500_000, of: signs), random.text(500_000, of: signs))
    let characters = (0x4E00..<0x8E00).compactMap { Unicode.Scalar($0).map { String($0) } }
    _ = CheckedDifference(
      random.text(200_000, of: characters), random.text(200_000, of: characters))
    let emoji = ["👩", "\u{200D}", "👧", "🇩", "🇪", "\u{1F3FD}", "e", "\u{301}", "\r", "\n"]
    _ = CheckedDifference(random.text(200_000, of: emoji), random.text(200_000, of: emoji))
  }

  @Test func nothingInCommon() {
    let difference = CheckedDifference(
      String(repeating: "a", count: 1_000_000), String(repeating: "b", count: 900_000))
    #expect(difference.edits == [.init(removed: 0..<1_000_000, inserted: 0..<900_000)])
  }

  @Test func repeatedText() {
    let count = 100_000
    func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    #expect(CheckedDifference(repeated("a", count), repeated("a", count + 1)).cost == 1)
    #expect(CheckedDifference(repeated("a", count) + "b", "c" + repeated("a", count)).cost == 2)
    #expect(CheckedDifference(repeated("ab", count), repeated("ba", count)).cost == 2)
    #expect(CheckedDifference(repeated("abc", count), "x" + repeated("abc", count - 1)).cost == 4)
    _ = CheckedDifference(repeated("ab", count), repeated("ac", count))
    _ = CheckedDifference(repeated("ab", count), repeated("aab", count))
    _ = CheckedDifference(repeated("a", count) + repeated("b", count), repeated("ab", count))
    _ = CheckedDifference("x" + repeated("a", 1_000_000) + "y", repeated("a", 500_000) + "z")
    _ = CheckedDifference(repeated("a\n", count), repeated("\na\n\n", count) + "b")
    _ = CheckedDifference(repeated("one two\n", count), repeated("two one\n", count) + "b")
    _ = CheckedDifference(repeated("🇩🇪", count), "🇩" + repeated("🇫🇩🇪", count))
    _ = CheckedDifference(repeated("👩‍👩‍👧", 40_000), repeated("👩‍👧", 50_000))
    _ = CheckedDifference(repeated("e\u{301}", count), repeated("e\u{308}", count))
    _ = CheckedDifference("e" + repeated("\u{301}", count), "e" + repeated("\u{301}\u{308}", count))
    _ = CheckedDifference(repeated("\r\n", count), repeated("\n", count))
    _ = CheckedDifference(repeated("\r\n", count), repeated("\n\r", count))
  }

  /// Blocks shuffled so that unlike stretches lead into long equal ones on many diagonals.
  @Test func shuffledBlocks() {
    var random = SeededGenerator(seed: 6)
    let blocks = ["a", "b"].map { String(repeating: $0, count: 997) } + ["ab\n", "ba ", "c"]
    for _ in 0..<8 {
      _ = CheckedDifference(random.text(600, of: blocks), random.text(600, of: blocks))
    }
  }

  @Test func longFlagRowsAreNotCut() {
    let flags = ["🇩🇪", "🇫🇷", "🇮🇹", "🇦🇹"]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<50 {
      let before = random.text(100, of: flags)
      let after = random.text(20, of: flags)
      #expect(CheckedDifference(before + "🇩🇪" + after, before + "🇩🇰" + after).cutsNoCharacter)
      #expect(CheckedDifference(before + after, before + "🇸🇪" + after).cutsNoCharacter)
    }
  }
}
