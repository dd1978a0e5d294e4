import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Two places that write in a text under one name: it is reported, no text is lost, and every
/// order of merging comes to the same.
@Suite("Forks of texts")
struct TextForkTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  private func word(_ first: Int, _ length: Int) -> String {
    TextSamples.string(of: (first..<first + length).map { TextSamples.scalar($0) })
  }

  /// How often a string occurs in another.
  private func occurrences(of word: String, in text: ReplicatedText) -> Int {
    let scalars = Array(String(text).unicodeScalars)
    let word = Array(word.unicodeScalars)
    guard scalars.count >= word.count else { return 0 }
    let starts = (0...scalars.count - word.count).filter { scalars[$0...].starts(with: word) }
    return starts.count
  }

  private static let lengths = [
    (1, 1), (1, 4), (4, 1), (5, 5), (3, 60), (1_100, 1_100), (60, 1_500),
  ]

  @Test("merging reports it and keeps both texts whole", arguments: TextForkTests.lengths)
  func bothStay(left: Int, right: Int) throws {
    for common in ["", "common "] {
      let base = ReplicatedText(common, by: phone)
      let words = [word(0, left), word(5_000, right)]
      var sides = [base, base]
      for place in 0...1 { sides[place].append(words[place], by: phone) }
      let merged = sides[0].merging(sides[1])
      let other = sides[1].merging(sides[0])
      #expect(merged.encoded() == other.encoded())
      #expect(String(merged) == String(other))
      #expect(merged.forks == [phone])
      #expect(other.forks == [phone])
      #expect(String(merged).hasPrefix(common))
      // Beyond 128 events, where the lines part is known less exactly: characters that both
      // have may stand there twice.
      let repeated = merged.count(in: .unicodeScalars) - common.count - left - right
      #expect(max(left, right) <= 128 ? repeated == 0 : 0...64 ~= repeated)
      for word in words { #expect(occurrences(of: word, in: merged) == 1) }
      merged._table.checkEveryInvariant()
      let decoded = try merged.readBack()
      #expect(decoded == merged)
      #expect(String(decoded) == String(merged))
      for side in sides {
        #expect(merged.merging(side).encoded() == merged.encoded())
        #expect(side.merging(merged).encoded() == merged.encoded())
        #expect(String(side.merging(merged)) == String(merged))
      }
    }
  }

  @Test("a delta of the other line is refused and changes nothing")
  func refused() throws {
    let base = ReplicatedText("common ", by: phone)
    var (left, right) = (base, base)
    left.append("LEFT", by: phone)
    right.append("RGHT", by: phone)
    let before = left
    #expect(throws: DeltaError.fork(phone)) {
      try left.apply(right.delta(since: base.version))
    }
    #expect(throws: DeltaError.fork(phone)) { try left.merge(decoding: right.encoded()) }
    #expect(throws: DeltaError.fork(phone)) { try left.merge(checking: right) }
    #expect(left == before)
    #expect(String(left) == "common LEFT")
    #expect(left.forks.isEmpty)
    try left.apply(mending: right.delta(since: [:]))
    #expect(left.encoded() == before.merging(right).encoded())
    #expect(String(left) == String(before.merging(right)))
  }

  @Test("each line's deletions delete what that line deleted")
  func deletions() {
    for (extra, isSwapped) in [(0, false), (0, true), (3, false), (3, true)] {
      let base = ReplicatedText("common ", by: phone)
      var (left, right) = (base, base)
      left.append("LEFT", by: phone)
      left.removeSubrange(left.places(8..<9), by: phone)
      left.removeSubrange(left.places(0..<1), by: phone)
      right.append("right" + String(repeating: "!", count: extra), by: phone)
      right.removeSubrange(right.places(2..<3), by: phone)
      let merged = isSwapped ? right.merging(left) : left.merging(right)
      let shown = String(merged)
      #expect(shown.hasPrefix("omon "), "\(shown)")
      #expect(occurrences(of: "LFT", in: merged) == 1, "\(shown)")
      let word = "right" + String(repeating: "!", count: extra)
      #expect(occurrences(of: word, in: merged) == 1, "\(shown)")
      #expect(merged.count(in: .unicodeScalars) == 5 + 3 + 5 + extra, "\(shown)")
    }
  }

  @Test("a third who wrote in one line keeps its place there", arguments: TextForkTests.lengths)
  func third(left: Int, right: Int) {
    for seen in 0...1 {
      let base = ReplicatedText("common ", by: phone)
      let words = [word(0, left + 1), word(5_000, right + 1)]
      var sides = [base, base]
      for place in 0...1 { sides[place].append(words[place], by: phone) }
      var third = sides[seen]
      third.insert("third", at: third.place(8), by: laptop)
      let written = String(String(third).unicodeScalars.dropFirst(7))
      let (one, two) = (sides[0], sides[1])
      var all = [
        one.merging(two).merging(third), two.merging(one).merging(third),
        third.merging(sides[1 - seen]), sides[1 - seen].merging(third),
        third.merging(one.merging(two)), one.merging(third).merging(two),
        two.merging(third).merging(one),
      ]
      for merged in all {
        #expect(merged.forks == [phone])
        #expect(occurrences(of: written, in: merged) == 1, "seen: \(seen)")
        #expect(occurrences(of: words[1 - seen], in: merged) == 1, "seen: \(seen)")
      }
      for merged in all {
        for place in all.indices { all[place].merge(merged) }
      }
      for merged in all { #expect(merged.encoded() == all[0].encoded(), "seen: \(seen)") }
      for merged in all { #expect(String(merged) == String(all[0]), "seen: \(seen)") }
    }
  }

  @Test("the lesser of two anchors holds for a whole run, also if its beginning is dead")
  func lesserAnchors() throws {
    func texts(of writer: ReplicaID) throws -> TextColumn {
      var text = ReplicatedText("ab", by: writer)
      text.insert("xyz", at: text.place(1), by: laptop)
      text.removeSubrange(text.place(1)..<text.place(2), by: writer)
      // What is read anew doesn't have the text of what is dead.
      let columns = try text.readBack()._table.columns
      return try #require(columns.first { $0.replica == laptop }).texts
    }
    var greater = try texts(of: ReplicaID(5))
    let lesser = try texts(of: ReplicaID(4))
    let hasChanged = greater.takeLesserAnchors(of: lesser)
    #expect(hasChanged && greater.isSame(as: lesser))
  }

  @Test("who anchored text to both sides of the other line's text keeps it between them")
  func betweenLines() {
    let base = ReplicatedText("()", by: phone)
    var (left, right) = (base, base)
    left.insert("ab", at: left.place(1), by: phone)
    right.insert("xy", at: right.place(1), by: phone)
    let both = left.merging(right)
    for place in 0...both.count(in: .unicodeScalars) {
      var writer = both
      writer.insert("漢", at: writer.place(place), by: laptop)
      let shown = String(writer)
      for copy in [left, right, base, both] {
        #expect(String(copy.merging(writer)) == shown, "at \(place)")
        #expect(copy.merging(writer).encoded() == writer.merging(copy).encoded(), "at \(place)")
      }
    }
  }

  @Test("anchors that were kept before a fork is mended stay beside the common text")
  func anchors() throws {
    let base = ReplicatedText("one two", by: phone)
    let anchor = base.anchor(at: base.place(4), .before)
    var (left, right) = (base, base)
    left.insert("LEFT ", at: left.startIndex, by: phone)
    right.insert("right ", at: right.place(4), by: phone)
    let merged = left.merging(right)
    let index = try #require(merged.index(of: anchor))
    #expect(merged[index..<merged.endIndex] == "two")
  }

  @Test("forks of three, at random: nothing is lost, and all come to the same")
  func random() {
    for seed in seeds(120, long: 5_000) {
      if let problem = failure(seed: seed) {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }

  private func failure(seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    var next = 0
    func word(_ length: Int) -> [Unicode.Scalar] {
      next += length
      return (next - length..<next).map { TextSamples.scalar($0) }
    }
    var written = Set(word(1 + random.below(6)))
    let first = TextSamples.string(of: written)
    let base = ReplicatedText(first, by: phone)
    var removed: Set<Unicode.Scalar> = []
    var all = [base, base, base]
    for place in all.indices {
      for _ in 0..<random.below(7) {
        let replica = random.below(2) == 0 ? phone : ReplicaID(10 + UInt64(place))
        let length = all[place].count(in: .unicodeScalars)
        let start = random.below(length + 1)
        if random.below(3) == 0 {
          let range = all[place].places(start..<min(start + 1 + random.below(3), length))
          removed.formUnion(all[place][range].unicodeScalars)
          all[place].removeSubrange(range, by: replica)
        } else {
          let scalars = word(1 + random.below(5))
          written.formUnion(scalars)
          let index = all[place].place(start)
          all[place].insert(TextSamples.string(of: scalars), at: index, by: replica)
        }
      }
    }
    for _ in 0..<3 {
      for here in 0..<3 {
        for there in 0..<3 {
          let other = all[there]
          all[here].merge(other)
        }
      }
    }
    for text in all {
      if text.encoded() != all[0].encoded() { return "other bytes" }
      if String(text) != String(all[0]) { return "\(text) and \(all[0])" }
      text._table.checkEveryInvariant()
      guard let decoded = try? text.readBack() else { return "not decoded" }
      if String(decoded) != String(text) { return "\(decoded) decoded from \(text)" }
    }
    let shown = Array(String(all[0]).unicodeScalars)
    let expected = written.subtracting(removed)
    if shown.count != Set(shown).count { return "some text is there twice: \(shown)" }
    return Set(shown) == expected ? nil : "\(shown) instead of \(expected)"
  }
}
