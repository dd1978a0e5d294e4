import CRDTStoreTesting
import Testing

@testable import CRDTKit

/// What an authority shows, merged with what it hasn't seen; judged by a model of words that
/// knows who has which word.
@Suite("Merging what an authority shows")
struct AuthorityMergeTests {
  /// One merge: the texts, and the bytes of the present one that are unseen or foreign.
  struct Case: CustomStringConvertible {
    let shown: String
    let new: String
    let current: String
    var unseen: [Range<Int>] = []
    var foreign: [Range<Int>] = []
    let merged: String

    var description: String { "\(shown) | \(new) | \(current)" }

    func result() -> String {
      var text = current
      text.apply(
        AuthorityMerge.edits(
          from: shown, to: new, over: current, unseen: unseen, foreign: foreign))
      return text
    }
  }

  @Test(
    "what one expects of small texts",
    arguments: [
      // What nobody has sent stays beside what the authority has changed, or is one with it.
      Case(
        shown: "Hello world", new: "Hello wide world", current: "Hello big world",
        unseen: [6..<10], merged: "Hello big wide world"),
      Case(
        shown: "Hello world", new: "Hello big world", current: "Hello big world",
        unseen: [6..<10], merged: "Hello big world"),
      Case(
        shown: "Hello world", new: "Hello big wide world!", current: "Hello big world",
        unseen: [6..<10], merged: "Hello big wide world!"),
      Case(
        shown: "Hello big world", new: "Hello world", current: "Hello big world",
        unseen: [6..<10], merged: "Hello world"),
      Case(
        shown: "helo", new: "helo!", current: "hello", unseen: [3..<4], foreign: [0..<3, 4..<5],
        merged: "hello!"),
      Case(
        shown: "the", new: "the dog", current: "the the", unseen: [3..<7], foreign: [0..<3],
        merged: "the the dog"),
      Case(
        shown: "", new: "- buy bread\n", current: "- buy milk\n", unseen: [0..<11],
        merged: "- buy milk\n- buy bread\n"),
      // Letters that others have removed stay away, also from what was inserted elsewhere.
      Case(
        shown: "Hello worldd", new: "Hello worldd!", current: "Hello world", foreign: [0..<11],
        merged: "Hello world!"),
      Case(shown: "100", new: "100 x", current: "10", foreign: [0..<2], merged: "10 x"),
      Case(
        shown: "note book", new: "note book!", current: "notebook", foreign: [0..<8],
        merged: "notebook!"),
      Case(
        shown: "notebook", new: "notebook!", current: "note book", unseen: [4..<5],
        foreign: [0..<4, 5..<9], merged: "note book!"),
      Case(
        shown: "worldd", new: "Worldd", current: "world", foreign: [0..<5], merged: "World"),
      Case(
        shown: "ab\ncd ef", new: "ab\ncd ef!", current: "abcd ef", merged: "abcd ef!"),
      // Spaces and signs.
      Case(
        shown: "Hello world", new: "Hello world!", current: "Hello, world", unseen: [5..<6],
        foreign: [0..<5, 6..<12], merged: "Hello, world!"),
      Case(shown: "a  b", new: "a  b!", current: "a b", merged: "a b!"),
      Case(shown: "a b", new: "a  b c", current: "a b", merged: "a  b c"),
      Case(
        shown: "  indented", new: "  indented more", current: "indented",
        merged: "indented more"),
      Case(
        shown: "a 👩 b", new: "a 👩 b!", current: "a 👩‍👧 b", unseen: [6..<13],
        foreign: [0..<6], merged: "a 👩‍👧 b!"),
      Case(
        shown: "a\tb", new: "a\tb\r\nc", current: "a\tb", merged: "a\tb\r\nc"),
      Case(shown: "", new: "a", current: "", merged: "a"),
      Case(shown: "a", new: "", current: "a", merged: ""),
      Case(shown: "abcdef x", new: "abcdefg x", current: "abc x", merged: "abcg x"),
      Case(
        shown: "w pcua, lox, ymi.\nx", new: "w pcua, lox, ymi.\nx!", current: "wZ pcua, loxymi.\nx",
        unseen: [1..<2], foreign: [12..<18], merged: "wZ pcua, loxymi.\nx!"),
      Case(
        shown: "a z", new: "a bold move z", current: "a bold new move z", unseen: [2..<16],
        merged: "a bold new move z"),
      Case(
        shown: "a b", new: "a  b c", current: "a\tb", unseen: [1..<2], merged: "a\tb c"),
      // Lines and signs.
      Case(
        shown: "milk\n", new: "milk\neggs\nham", current: "milk\neggs\n", unseen: [5..<10],
        merged: "milk\neggs\nham"),
      Case(
        shown: "một chữ", new: "một chữ Việt", current: "một chữ Viết", unseen: [10..<17],
        merged: "một chữ Viết Việt"),
      Case(shown: "👍", new: "👍🏽", current: "👍", merged: "👍🏽"),
      // Another store has received another string.
      Case(
        shown: "one two three", new: "one two three!", current: "two one three",
        foreign: [0..<13], merged: "two one three!"),
      Case(
        shown: "Hello world", new: "Hello earth", current: "Hello wide world",
        foreign: [0..<16], merged: "Hello earth"),
      Case(
        shown: "Hello world", new: "Hello wide world!", current: "Hello wide world",
        foreign: [0..<16], merged: "Hello wide world!"),
    ])
  func small(_ example: Case) {
    #expect(example.result() == example.merged)
  }

  /// A word and who has it.
  private struct Word {
    let word: String
    var isUnseen = false
    var wasShown = false
    var isShown = false
    var isHere = false
  }

  /// Words of no letters in common with others, or of the same letters, or of letters of all
  /// kinds.
  private func word(_ count: Int, _ kind: UInt64, _ random: inout SeededGenerator) -> String {
    switch kind {
    case 0: return "\(UnicodeScalar(0x61 + UInt8(count % 26)))\(1_000 + count)"
    case 1:
      let scalars = (0..<3).compactMap { UnicodeScalar(0x4E00 + 3 * count + $0) }
      return String(String.UnicodeScalarView(scalars))
    default:
      let letters = (0..<8).compactMap { _ in
        "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random)
      }
      return String(letters) + "\(count)"
    }
  }

  @Test("each word is there or not, by who has it", arguments: 0..<60 as Range<UInt64>)
  func words(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<40 {
      var words: [Word] = []
      func insert(_ count: Int, _ make: (String) -> Word) {
        for _ in 0..<count {
          let next = make(word(words.count, seed % 3, &random))
          words.insert(next, at: .random(in: 0...words.count, using: &random))
        }
      }
      insert(.random(in: 1...8, using: &random)) {
        Word(
          word: $0, isUnseen: Bool.random(using: &random), wasShown: true, isShown: true,
          isHere: true)
      }
      for place in words.indices where Int.random(in: 0..<6, using: &random) == 0 {
        words[place].isShown = false
      }
      insert(.random(in: 0...3, using: &random)) {
        Word(word: $0, isUnseen: true, isShown: Bool.random(using: &random), isHere: true)
      }
      insert(.random(in: 0...2, using: &random)) { Word(word: $0, isShown: true) }
      insert(.random(in: 0...2, using: &random)) {
        Word(word: $0, isShown: Bool.random(using: &random), isHere: true)
      }
      check(words, "seed \(seed), round \(round)")
    }
  }

  private func check(_ words: [Word], _ name: String) {
    func text(_ isIncluded: (Word) -> Bool) -> String {
      words.filter(isIncluded).map(\.word).joined(separator: " ")
    }
    var (unseen, foreign): ([Range<Int>], [Range<Int>]) = ([], [])
    var place = 0
    let here = words.filter(\.isHere)
    for (number, word) in here.enumerated() {
      let end = place + word.word.utf8.count
      if word.isUnseen {
        unseen.append(place..<end + (number + 1 < here.count ? 1 : 0))
      } else {
        foreign.append(place..<end)
      }
      place = end + 1
    }
    let (shown, new) = (text(\.wasShown), text(\.isShown))
    // Without a change, there is nothing to do.
    if shown == new { return }
    let merged = Case(
      shown: shown, new: new, current: text(\.isHere), unseen: unseen, foreign: foreign,
      merged: ""
    ).result()
    let found = merged.split(separator: " ").map(String.init)
    for word in words {
      let isExpected = word.isShown || !word.wasShown && word.isHere && word.isUnseen
      let count = found.count { $0 == word.word }
      #expect(count == (isExpected ? 1 : 0), "\(name): \(word.word) in \(merged)")
    }
    #expect(found.count <= words.count, "\(name): \(merged)")
  }

  /// A character of the present text.
  private typealias Letter = (character: Character, isUnseen: Bool)

  private func edited(_ word: String, _ random: inout SeededGenerator) -> [Letter] {
    var letters: [Letter] = word.map { ($0, false) }
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let place = Int.random(in: 0..<letters.count, using: &random)
      if letters.count > 2, Bool.random(using: &random) {
        letters.remove(at: place)
      } else {
        let added: [Character] = ["X", "-", " ", "é", "\n", "Z"]
        letters.insert((added.randomElement(using: &random) ?? "X", true), at: place)
      }
    }
    return letters
  }

  @Test(
    "letters that are changed in different words are all changed",
    arguments: 0..<40 as Range<UInt64>)
  func letters(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array("abcdefghijklmnopqrstuvwxyzäß漢字")
    for round in 0..<40 {
      let words = (0..<Int.random(in: 2...12, using: &random)).map { _ in
        String(
          (0..<Int.random(in: 3...8, using: &random)).map { _ in
            letters.randomElement(using: &random) ?? "a"
          })
          + ([" ", " ", ", ", ".\n", "  "].randomElement(using: &random) ?? " ")
      }
      var current: [Letter] = []
      var (new, expected) = ("", "")
      var last = -2
      for (number, word) in words.enumerated() {
        // Two of one word beside each other would be in each other's way.
        let side = number - last < 2 ? 0 : Int.random(in: 0..<3, using: &random)
        if side != 0 { last = number }
        let changed = edited(word, &random)
        let text = String(changed.map(\.character))
        current += side == 1 ? changed : word.map { ($0, false) }
        new += side == 2 ? text : word
        expected += side == 0 ? word : text
      }
      var unseen: [Range<Int>] = []
      var place = 0
      for (character, isUnseen) in current {
        let end = place + character.utf8.count
        if isUnseen { unseen.append(place..<end) }
        place = end
      }
      if new == words.joined() { continue }
      let merged = Case(
        shown: words.joined(), new: new, current: String(current.map(\.character)), unseen: unseen,
        merged: "")
      // Of spaces that both have changed, either may stay.
      #expect(
        merged.result().filter { $0 != " " } == expected.filter { $0 != " " },
        "seed \(seed), round \(round): \(merged)")
    }
  }
}
