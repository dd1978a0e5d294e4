import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What writers type at the same place at the same time is never mixed.
@Suite("Texts that several write at one place")
struct TextFigureTests {
  /// How the letters of a writer follow each other.
  enum Way: CaseIterable { case forward, backward, atOnce, inTwo }

  private func writer(_ number: Int) -> ReplicaID { ReplicaID(UInt64(number) + 1) }

  /// The word of a writer, of scalars that no other has.
  private func word(of writer: Int, length: Int) -> String {
    TextSamples.string(of: (0..<length).map { TextSamples.scalar(writer * 5_000 + $0) })
  }

  /// Writes a word so that it stands at a place in the end; calls the body after each step.
  private func write(
    _ word: String, at place: Int, _ way: Way, in text: inout ReplicatedText,
    by replica: ReplicaID, _ body: (TableDelta<ReplicatedText>) -> Void = { _ in }
  ) {
    let scalars = Array(word.unicodeScalars)
    var steps: [(place: Int, string: String)] = []
    switch way {
    case .forward:
      steps = scalars.enumerated().map { (place + $0.offset, String($0.element)) }
    case .backward:
      steps = scalars.reversed().map { (place, String($0)) }
    case .atOnce: steps = [(place, word)]
    case .inTwo:
      // The second half first, so that the word is two runs.
      let half = scalars.count / 2
      steps = [
        (place, TextSamples.string(of: scalars[half...])),
        (place, TextSamples.string(of: scalars[..<half])),
      ]
    }
    for step in steps {
      let index = text.place(step.place)
      body(text.edit(by: replica) { $0.insert(step.string, at: index) })
    }
  }

  /// The words of the writers between the two sides of a base, in ascending order of the
  /// writers.
  private func shown(_ words: [String]) -> String { "(" + words.joined() + ")" }

  @Test("forward or backward, two or three writers never mix", arguments: Way.allCases)
  func apart(way: Way) {
    for count in 2...3 {
      let base = ReplicatedText("()", by: writer(9))
      let words = (0..<count).map { word(of: $0, length: 40) }
      let copies = words.indices.map { number in
        var copy = base
        write(words[number], at: 1, way, in: &copy, by: writer(number))
        return copy
      }
      for order in [Array(copies.indices), Array(copies.indices.reversed())] {
        var merged = base
        for number in order { merged.merge(copies[number]) }
        #expect(String(merged) == shown(words), "\(count) writers, in order \(order)")
      }
    }
  }

  @Test("writers of different ways never mix")
  func mixedWays() {
    let base = ReplicatedText("()", by: writer(9))
    for first in Way.allCases {
      for second in Way.allCases {
        let words = [word(of: 0, length: 12), word(of: 1, length: 9)]
        var copies = [base, base]
        write(words[0], at: 1, first, in: &copies[0], by: writer(0))
        write(words[1], at: 1, second, in: &copies[1], by: writer(1))
        let merged = String(copies[0].merging(copies[1]))
        #expect(merged == String(copies[1].merging(copies[0])))
        let isWhole = merged == shown(words) || merged == shown(words.reversed())
        #expect(isWhole, "\(first), \(second): \(merged)")
      }
    }
  }

  @Test("texts longer than a page never mix", arguments: [Way.forward, .backward, .atOnce])
  func longTexts(way: Way) throws {
    let base = ReplicatedText("()", by: writer(9))
    let words = (0..<3).map { word(of: $0, length: 1_100 + 200 * $0) }
    let copies = words.indices.map { number in
      var copy = base
      write(words[number], at: 1, way, in: &copy, by: writer(number))
      return copy
    }
    let merged = copies[2].merging(copies[0]).merging(copies[1])
    #expect(String(merged) == shown(words))
    #expect(merged.encoded() == copies[0].merging(copies[1].merging(copies[2])).encoded())
    let decoded = try merged.readBack()
    #expect(String(decoded) == shown(words))
  }

  @Test("keys that arrive in turn never mix", arguments: [Way.forward, .backward])
  func inTurn(way: Way) throws {
    let base = ReplicatedText("()", by: writer(9))
    let words = (0..<3).map { word(of: $0, length: 60) }
    let keys = words.indices.map { number in
      var keys: [TableDelta<ReplicatedText>] = []
      var copy = base
      write(words[number], at: 1, way, in: &copy, by: writer(number)) { keys.append($0) }
      return keys
    }
    var reader = base
    for key in keys[0].indices {
      for number in keys.indices { try reader.apply(keys[number][key]) }
      // Whatever has come of each word is in one piece.
      let parts = words.map { word in
        let scalars = Array(word.unicodeScalars)
        return TextSamples.string(
          of: way == .forward ? scalars.prefix(key + 1) : scalars.suffix(key + 1))
      }
      guard String(reader) == shown(parts) else {
        Issue.record("key \(key): \(reader) instead of \(shown(parts))")
        return
      }
    }
  }

  @Test("writers in an empty text never mix", arguments: Way.allCases)
  func fromNothing(way: Way) {
    let words = (0..<3).map { word(of: $0, length: 20) }
    var merged = ReplicatedText()
    for number in words.indices.reversed() {
      var copy = ReplicatedText()
      write(words[number], at: 0, way, in: &copy, by: writer(number))
      merged.merge(copy)
    }
    #expect(String(merged) == words.joined())
  }

  /// Figures 6 and 7 of the paper: between A and B, X was inserted by one who saw A and C
  /// only, and Y by one who saw A and B.
  @Test("the order is that of the paper's figures", arguments: [false, true])
  func figures(isXFirst: Bool) throws {
    let a = ReplicatedText("A", by: ReplicaID(1))
    let b = ReplicatedText("B", by: ReplicaID(2))
    let c = ReplicatedText("C", by: ReplicaID(3))
    var x = a.merging(c)
    var y = a.merging(b)
    x.insert("X", at: x.place(1), by: ReplicaID(isXFirst ? 4 : 5))
    y.insert("Y", at: y.place(1), by: ReplicaID(isXFirst ? 5 : 4))
    #expect(String(x) == "AXC")
    #expect(String(y) == "AYB")
    #expect(String(x.merging(b)) == "AXBC")
    let both = x.merging(y)
    #expect(String(both) == "AXYBC")
    #expect(y.merging(x).encoded() == both.encoded())
    #expect(String(b.merging(c).merging(y).merging(x)) == "AXYBC")
    let decoded = try both.readBack()
    #expect(String(decoded) == "AXYBC")
  }

  @Test("a replacement comes before what another types after the replaced", arguments: [1, 2, 3])
  func replacing(way: Int) {
    let phone = ReplicaID(1)
    // X is typed with its neighbours, between them, or by another.
    var base = ReplicatedText(way == 1 ? "aXb" : "ab", by: phone)
    if way > 1 { base.insert("X", at: base.place(1), by: ReplicaID(way == 2 ? 1 : 4)) }
    for (first, second) in [(2, 3), (3, 2)] as [(UInt64, UInt64)] {
      var (replaced, typed) = (base, base)
      replaced.replaceSubrange(base.places(1..<2), with: "new", by: ReplicaID(first))
      typed.insert("!?", at: typed.place(2), by: ReplicaID(second))
      #expect(String(replaced.merging(typed)) == "anew!?b", "\(first), \(second)")
      #expect(String(typed.merging(replaced)) == "anew!?b", "\(first), \(second)")
    }
  }

  @Test("two replacements of the same both stay, each in one piece")
  func bothReplacing() {
    let base = ReplicatedText("the old word", by: ReplicaID(1))
    var (left, right) = (base, base)
    left.replaceSubrange(base.places(4..<7), with: "fresh", by: ReplicaID(2))
    right.replaceSubrange(base.places(4..<7), with: "NEW", by: ReplicaID(3))
    let merged = String(left.merging(right))
    #expect(["the freshNEW word", "the NEWfresh word"].contains(merged))
    #expect(String(right.merging(left)) == merged)
  }

  @Test("what others insert in a deleted piece stays")
  func insideDeleted() {
    let base = ReplicatedText("keep delete keep", by: ReplicaID(1))
    var (left, right) = (base, base)
    left.removeSubrange(base.places(5..<12), by: ReplicaID(2))
    right.insert("漢", at: right.place(8), by: ReplicaID(3))
    #expect(String(left.merging(right)) == "keep 漢keep")
    #expect(left.merging(right).encoded() == right.merging(left).encoded())
  }

  @Test("random words at random places stay in one piece")
  func randomWords() {
    for seed in seeds(60, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      let base = ReplicatedText(word(of: 3, length: 1 + random.below(8)), by: writer(9))
      let length = base.count(in: .unicodeScalars)
      let place = random.below(length + 1)
      let words = (0..<3).map { word(of: $0, length: 1 + random.below(12)) }
      var merged = base
      for number in words.indices.shuffled(using: &random) {
        var copy = base
        let way = Way.allCases[random.below(4)]
        // Each first deletes something else around the place.
        let start = random.below(place + 1)
        copy.removeSubrange(copy.places(start..<place), by: writer(number))
        write(words[number], at: start, way, in: &copy, by: writer(number))
        merged.merge(copy)
      }
      for word in words where !String(merged).contains(word) {
        Issue.record("seed \(seed): \(word) isn't whole in \(merged)")
        return
      }
    }
  }
}
