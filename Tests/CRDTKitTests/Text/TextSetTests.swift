import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Setting a whole text: exactly the bytes asked for, by edits that leave alone what is equal.
@Suite("Texts that are set to a string")
struct TextSetTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  /// Spellings of characters, of which those in a row are equal to `String`.
  private static let spellings = [
    ["\u{E9}", "e\u{301}"], ["\u{C5}", "A\u{30A}", "\u{212B}"],
    ["\u{AC01}", "\u{1100}\u{1161}\u{11A8}"], ["q\u{307}\u{323}", "q\u{323}\u{307}"],
    ["e"], ["\u{301}"], ["\u{200D}"], ["a"], [" "], ["\n"], ["\r\n"], ["漢"], ["👍🏽"], ["👍"], ["🏽"],
    ["👨‍👩‍👧"], ["👨"], ["🇩🇪"], ["🇩"],
  ]

  private func pieces(_ count: Int, using random: inout SeededGenerator) -> [Int] {
    (0..<count).map { _ in random.below(Self.spellings.count) }
  }

  private func spelled(_ pieces: [Int], using random: inout SeededGenerator) -> String {
    var string = ""
    for piece in pieces {
      let spellings = Self.spellings[piece]
      string += spellings[random.below(spellings.count)]
    }
    return string
  }

  @Test("set to exactly the bytes asked for, whatever was there")
  func exactBytes() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var kept = pieces(random.below(20), using: &random)
      var text = ReplicatedText(spelled(kept, using: &random), by: phone)
      for round in 0..<3 {
        for _ in 0..<random.below(4) {
          let start = random.below(kept.count + 1)
          let end = start + random.below(min(kept.count - start, 3) + 1)
          kept.replaceSubrange(start..<end, with: pieces(random.below(3), using: &random))
        }
        let asked = spelled(kept, using: &random)
        let before = text
        text.set(to: asked, by: round == 0 ? phone : laptop)
        let decoded = try text.readBack()
        let isUnchanged = before.shownBytes == Array(asked.utf8)
        guard text.shownBytes == Array(asked.utf8), decoded.shownBytes == Array(asked.utf8),
          isUnchanged == (text.version == before.version)
        else {
          Issue.record("seed \(seed), round \(round): \(text) instead of \(asked)")
          return
        }
      }
    }
  }

  @Test("no event if nothing differs, and one at least if only the spelling does")
  func equal() {
    for string in ["", "a", "e\u{301}漢\r\n", "👨‍👩‍👧"] {
      let text = ReplicatedText(string, by: phone)
      var same = text
      same.set(to: string, by: laptop)
      #expect(same.version == text.version)
      #expect(same.encoded() == text.encoded())
      let delta = same.edit(by: laptop) { $0.set(to: string) }
      #expect(delta.isEmpty)
    }
    var text = ReplicatedText("caf\u{E9}", by: phone)
    text.set(to: "cafe\u{301}", by: laptop)
    #expect(text.shownBytes == Array("cafe\u{301}".utf8))
    #expect(text.version[laptop] > 0)
    text.set(to: "", by: laptop)
    #expect(text.isEmpty)
  }

  @Test("the editor sets the same, and its delta carries it")
  func editor() throws {
    let base = ReplicatedText("one two three", by: phone)
    var (text, edited, reader) = (base, base, base)
    text.set(to: "one 2, three!", by: laptop)
    let delta = edited.edit(by: laptop) { $0.set(to: "one 2, three!") }
    #expect(edited == text)
    let isNew = try reader.apply(delta)
    #expect(isNew)
    #expect(reader.encoded() == text.encoded())
  }

  /// Letters of an alphabet that the others don't have.
  private func letters(
    _ count: Int, of alphabet: String, using random: inout SeededGenerator
  ) -> String {
    let letters = Array(alphabet)
    return String((0..<count).map { _ in letters[random.below(letters.count)] })
  }

  @Test("what is equal keeps its anchors and what others insert there at the same time")
  func untouched() {
    for seed in 0..<150 as Range<UInt64> {
      if let problem = touched(seed: seed) {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }

  /// Sets a text in which some parts, written in letters of their own, stay.
  private func touched(seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    var (old, new, result) = ("", "", "")
    /// The places of the letters that stay, in the old and in the new text.
    var stays: [(old: Int, new: Int)] = []
    var insertions: [(place: Int, string: String)] = []
    for part in 0...random.below(4) {
      let (gone, come) = (random.below(4), random.below(4))
      old += letters(gone, of: "abc", using: &random)
      let fresh = letters(come, of: "xyz", using: &random)
      (new, result) = (new + fresh, result + fresh)
      let kept = letters(2 + random.below(12), of: "ABCDEFGHIJKLMN", using: &random)
      for place in 0..<kept.count { stays.append((old.count + place, new.count + place)) }
      let split = kept.index(kept.startIndex, offsetBy: 1 + random.below(kept.count - 1))
      insertions.append(
        (old.count + kept.distance(from: kept.startIndex, to: split), "<\(part)>"))
      result += "\(kept[..<split])<\(part)>\(kept[split...])"
      (old, new) = (old + kept, new + kept)
    }
    var text = ReplicatedText(old, by: phone)
    let anchors = stays.map { stay in
      let before = text.anchor(at: text.place(stay.old), .before)
      return (stay.new, before, text.anchor(at: text.place(stay.old + 1), .after))
    }
    var other = text
    for (place, string) in insertions.reversed() {
      other.insert(string, at: other.place(place), by: laptop)
    }
    text.set(to: new, by: phone)
    if String(text) != new { return "\(text) instead of \(new)" }
    for (place, before, after) in anchors
    where text.index(of: before) != text.place(place)
      || text.index(of: after) != text.place(place + 1)
    {
      return "\(old) to \(new): the letter at \(place) was replaced"
    }
    let merged = text.merging(other)
    if merged.encoded() != other.merging(text).encoded() { return "merging depends on the order" }
    return String(merged) == result ? nil : "\(old) to \(new): \(merged) instead of \(result)"
  }

  @Test("a small change of a long text is a small edit")
  func small() {
    let lines = (0..<200).map { "Line \($0) of a long text, 漢字 👍🏽.\n" }
    var changed = lines
    changed[20] = "Line 20 of another text, 漢字 👍🏽.\n"
    changed.remove(at: 150)
    changed.insert("New.\n", at: 90)
    let text = ReplicatedText(lines.joined(), by: phone)
    var edited = text
    edited.set(to: changed.joined(), by: laptop)
    #expect(edited.shownBytes == Array(changed.joined().utf8))
    let changes = edited.changes(since: text, in: .unicodeScalars)
    let removed = changes.reduce(0) { $0 + $1.replaced.count }
    let inserted = changes.reduce(0) { $0 + $1.inserted.unicodeScalars.count }
    #expect(removed <= lines[150].unicodeScalars.count + 20)
    #expect(inserted <= 30)
  }

  @Test("two who set the text at the same time both keep what they wrote")
  func together() {
    let base = ReplicatedText("Dear all,\nsee you on Monday.\nBye\n", by: phone)
    var (left, right) = (base, base)
    left.set(to: "Dear friends,\nsee you on Monday.\nBye\n", by: phone)
    right.set(to: "Dear all,\nsee you on Monday.\nBye, Ann\n", by: laptop)
    #expect(String(left.merging(right)) == "Dear friends,\nsee you on Monday.\nBye, Ann\n")
    #expect(left.merging(right).encoded() == right.merging(left).encoded())
  }
}
