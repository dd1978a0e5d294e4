import CRDTStoreTesting
import Testing

@testable import CRDTKit

@Suite struct ShortTextTests {
  private static let letters = "abcdefgh \n".map(String.init)
  /// Scalars that often join with their neighbours, each by itself.
  private static let joining = [
    "e", "a", "\u{301}", "\u{308}", "\u{200D}", "👩", "👧", "❤", "\u{FE0F}", "\u{1F3FD}",
    "🇩", "🇪", "🇫", "\r", "\n", "é", "漢", "각", "ᄀ", "ᅡ", "ᆨ", "क", "\u{94D}", "ष", "ि", "#",
    "\u{20E3}",
    " ", "\u{600}", "🏴", "\u{E0067}", "\u{E007F}",
  ]

  @Test func readsAsDocumented() {
    typealias Edit = TextDifference.Edit
    #expect(CheckedDifference("one two", "one 2").edits == [Edit(removed: 4..<7, inserted: 4..<5)])
    #expect(CheckedDifference("", "").edits == [])
    #expect(CheckedDifference("same", "same").edits == [])
    #expect(CheckedDifference("", "new").edits == [Edit(removed: 0..<0, inserted: 0..<3)])
    #expect(CheckedDifference("old", "").edits == [Edit(removed: 0..<3, inserted: 0..<0)])
    #expect(
      CheckedDifference("rot", "tor").edits.count == 2, "keeps one common letter between edits")
  }

  @Test(arguments: [2, 4, 10])
  func isMinimal(letterCount: Int) {
    var random = SeededGenerator(seed: UInt64(letterCount))
    let letters = Array(Self.letters.suffix(letterCount))
    for round in 0..<3500 {
      let old = random.text(Int.random(in: 0...60, using: &random), of: letters)
      let new =
        round % 2 == 0
        ? random.edited(old, count: Int.random(in: 1...6, using: &random), pieces: letters)
        : random.text(Int.random(in: 0...60, using: &random), of: letters)
      let difference = CheckedDifference(old, new)
      #expect(
        difference.cost == fewestScalars(old, new),
        "round \(round): \(old.debugDescription) to \(new.debugDescription)")
    }
  }

  @Test func isMinimalForScalarsOfAnyWidth() {
    var random = SeededGenerator(seed: 11)
    // Scalars that share bytes but never join.
    let pieces = ["a", "é", "ĩ", "è", "ê", "漢", "字", "\u{6F23}", "я", "п"]
    for round in 0..<3000 {
      let old = random.text(Int.random(in: 0...60, using: &random), of: pieces)
      let new =
        round % 2 == 0
        ? random.edited(old, count: 4, pieces: pieces)
        : random.text(Int.random(in: 0...60, using: &random), of: pieces)
      #expect(CheckedDifference(old, new).cost == fewestScalars(old, new), "round \(round)")
    }
  }

  @Test func everyPairOfTinyTexts() {
    var texts = [""]
    var longest = [""]
    for _ in 0..<5 {
      longest = longest.flatMap { text in ["a", "b", "\n"].map { text + $0 } }
      texts += longest
    }
    for old in texts {
      for new in texts where old.utf8.count + new.utf8.count <= 8 {
        #expect(CheckedDifference(old, new).cost == fewestScalars(old, new))
      }
    }
  }

  @Test func cutsNoCharacter() {
    var random = SeededGenerator(seed: 5)
    for round in 0..<12_000 {
      let pieces =
        round % 3 == 0 ? Self.joining : Array(Self.joining.shuffled(using: &random).prefix(6))
      let old = random.text(Int.random(in: 0...30, using: &random), of: pieces)
      let new =
        round % 2 == 0
        ? random.edited(old, count: 2, pieces: pieces)
        : random.text(Int.random(in: 0...30, using: &random), of: pieces)
      let difference = CheckedDifference(old, new)
      #expect(
        difference.cutsNoCharacter,
        "round \(round): \(Array(old.unicodeScalars)) to \(Array(new.unicodeScalars))")
    }
  }

  @Test(arguments: [
    ("cafe", "cafe\u{301}"), ("caf\u{E9}", "cafe\u{301}"), ("a\nb", "a\r\nb"), ("a\r\nb", "a\rb"),
    ("👩‍👩‍👧", "👩‍👩‍👦"), ("👩‍👩‍👧", "👩‍👧"), ("👍🏽", "👍🏿"), ("❤", "❤️"), ("🇩🇪🇫🇷🇮🇹", "🇩🇪🇮🇹"), ("🇩🇪🇫🇷", "🇩🇫🇪🇷"),
    ("각", "가"), ("1️⃣", "2️⃣"), ("क्षि", "क्ष"),
  ])
  func replacesWholeCharacters(old: String, new: String) {
    for context in ["", "x", "漢", "👩", "🇦🇹", "\n"] {
      let difference = CheckedDifference(context + old + context, context + new + context)
      #expect(difference.cutsNoCharacter)
      #expect(!difference.edits.isEmpty)
    }
  }

  @Test func equalSpellingsAreDifferent() {
    let difference = CheckedDifference("\u{E9}", "e\u{301}")
    #expect("\u{E9}" == "e\u{301}")
    #expect(difference.edits == [.init(removed: 0..<2, inserted: 0..<3)])
  }

  @Test func slidesToLinesAndWords() {
    let lines = CheckedDifference("f(1)\nf(2)\n", "f(1)\nf(3)\nf(2)\n")
    #expect(lines.edits == [.init(removed: 5..<5, inserted: 5..<10)])
    let words = CheckedDifference("an apple and", "an apple an apple and")
    #expect(words.edits.count == 1)
    #expect(words.edits.first.map { words.new[$0.inserted].last } == 0x20)
  }

  @Test func invalidTextDoesNotTrap() {
    var random = SeededGenerator(seed: 8)
    let bytes: [UInt8] = [0, 0x0A, 0x41, 0x80, 0xA6, 0xBF, 0xC3, 0xE2, 0x9F, 0x87, 0xF0, 0xFF]
    for _ in 0..<5000 {
      let texts = (0..<2).map { _ in
        (0..<Int.random(in: 0...40, using: &random)).map { _ in
          bytes[Int.random(in: bytes.indices, using: &random)]
        }
      }
      let edits = texts[0].withUnsafeBufferPointer { old in
        texts[1].withUnsafeBufferPointer { new in TextDifference(from: old, to: new).edits }
      }
      #expect(edits.isEmpty == (texts[0] == texts[1]))
    }
  }
}
