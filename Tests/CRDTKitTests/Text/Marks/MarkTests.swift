import CRDTKit
import CRDTTestSupport
import Testing

/// The cases of the paper on Peritext, by what happens in them, and what is our own.
///
/// Litt, Lim, Kleppmann, van Hardenberg, "Peritext: A CRDT for Collaborative Rich Text
/// Editing", 2022.
@Suite("Marks of texts")
struct MarkTests {
  let alice = ReplicaID(1)
  let bob = ReplicaID(2)
  let base = ReplicatedText("The fox jumped.", by: ReplicaID(3))

  /// The text with its marks in brackets: `<bold:fox>`.
  private func shown(_ text: ReplicatedText) -> String {
    text.runs.map { run in
      let names = run.marks.sorted { $0.key < $1.key }.map {
        $0.value.isEmpty ? $0.key : "\($0.key)=\($0.value)"
      }
      let part = text[run.range]
      return names.isEmpty ? part : "<\(names.joined(separator: ",")):\(part)>"
    }.joined()
  }

  /// What two copies come to that were changed at the same time, whichever way they are merged.
  private func merged(
    _ text: ReplicatedText, _ one: (inout ReplicatedText) -> Void,
    _ other: (inout ReplicatedText) -> Void
  ) throws -> String {
    var (left, right) = (text, text)
    one(&left)
    other(&right)
    let both = left.merging(right)
    #expect(right.merging(left).encoded() == both.encoded())
    #expect(shown(right.merging(left)) == shown(both))
    var byDelta = left
    try byDelta.apply(right.delta(since: text.version))
    #expect(byDelta.encoded() == both.encoded())
    #expect(shown(try ReplicatedText(decoding: both.encoded())) == shown(both))
    both._table.checkEveryInvariant()
    return shown(both)
  }

  @Test("what is inserted into a mark that is set at the same time has it")
  func insertionInside() throws {
    let result = try merged(
      base, { $0.mark($0.places(0..<15), as: "bold", by: alice) },
      { $0.insert(" brown", at: $0.place(3), by: bob) })
    #expect(result == "<bold:The brown fox jumped.>")
  }

  @Test("two overlapping marks of one value are one")
  func overlappingBold() throws {
    let result = try merged(
      base, { $0.mark($0.places(0..<7), as: "bold", by: alice) },
      { $0.mark($0.places(4..<14), as: "bold", by: bob) })
    #expect(result == "<bold:The fox jumped>.")
  }

  @Test("overlapping marks of two names are both there")
  func boldAndItalic() throws {
    let result = try merged(
      base, { $0.mark($0.places(0..<7), as: "bold", by: alice) },
      { $0.mark($0.places(4..<14), as: "italic", by: bob) })
    #expect(result == "<bold:The ><bold,italic:fox><italic: jumped>.")
  }

  @Test("of two colors one wins where they overlap, and both stay elsewhere")
  func colors() throws {
    let result = try merged(
      base, { $0.mark($0.places(0..<7), as: "color", value: "red", by: alice) },
      { $0.mark($0.places(4..<14), as: "color", value: "blue", by: bob) })
    #expect(result == "<color=red:The ><color=blue:fox jumped>.")
  }

  @Test("of bold and not bold one wins where they overlap")
  func boldAndNot() throws {
    var text = base
    text.mark(text.places(0..<3), as: "bold", by: alice)
    let result = try merged(
      text, { $0.unmark($0.places(0..<3), as: "bold", by: alice) },
      { $0.mark($0.places(2..<7), as: "bold", by: bob) })
    #expect(result == "Th<bold:e fox> jumped.")
    let other = try merged(
      text, { $0.mark($0.places(2..<7), as: "bold", by: alice) },
      { $0.unmark($0.places(0..<3), as: "bold", by: bob) })
    #expect(other == "The<bold: fox> jumped.")
  }

  @Test("of two overlapping links one wins where they overlap")
  func links() throws {
    let result = try merged(
      base, { $0.mark($0.places(0..<7), as: "link", value: "a", growing: .neither, by: alice) },
      { $0.mark($0.places(4..<14), as: "link", value: "b", growing: .neither, by: bob) })
    #expect(result == "<link=a:The ><link=b:fox jumped>.")
  }

  @Test("overlapping comments are all kept, as each has a name of its own")
  func comments() throws {
    let result = try merged(
      base,
      { $0.mark($0.places(0..<7), as: "comment 1", value: "A", growing: .neither, by: alice) },
      { $0.mark($0.places(4..<14), as: "comment 2", value: "B", growing: .neither, by: bob) })
    #expect(result == "<comment 1=A:The ><comment 1=A,comment 2=B:fox><comment 2=B: jumped>.")
  }

  @Test("what is written later wins over what its writer has seen, whatever the names")
  func later() throws {
    for (first, second) in [(alice, bob), (bob, alice)] {
      var text = base
      text.mark(text.places(4..<7), as: "color", value: "red", by: first)
      text.mark(text.places(0..<15), as: "color", value: "blue", by: second)
      #expect(shown(text) == "<color=blue:The fox jumped.>")
      text.mark(text.places(4..<7), as: "color", value: "red", by: first)
      #expect(shown(text) == "<color=blue:The ><color=red:fox><color=blue: jumped.>")
    }
  }

  @Test(
    "what is inserted at an end of a mark has it if it grows there",
    arguments: [
      (ReplicatedText.Growth.neither, "The-<m:fox>+ jumped."),
      (.atStart, "The<m:-fox>+ jumped."), (.atEnd, "The-<m:fox+> jumped."),
      (.both, "The<m:-fox+> jumped."),
    ])
  func boundaries(growth: ReplicatedText.Growth, expected: String) throws {
    let compact = ReplicatedText("Thefox jumped.", by: ReplicaID(3))
    func insert(_ text: inout ReplicatedText) {
      text.insert("+", at: text.place(6), by: bob)
      text.insert("-", at: text.place(3), by: bob)
    }
    var text = compact
    text.mark(text.places(3..<6), as: "m", growing: growth, by: alice)
    insert(&text)
    #expect(shown(text) == expected)
    let result = try merged(
      compact, { $0.mark($0.places(3..<6), as: "m", growing: growth, by: alice) }, insert)
    #expect(result == expected)
  }

  @Test("marks grow at the ends of the text too")
  func ends() {
    for growth in [ReplicatedText.Growth.neither, .both] {
      var text = ReplicatedText("fox", by: alice)
      text.mark(text.places(0..<3), as: "m", growing: growth, by: alice)
      text.append("!", by: bob)
      text.insert("A ", at: text.startIndex, by: bob)
      #expect(shown(text) == (growth == .both ? "<m:A fox!>" : "A <m:fox>!"))
    }
  }

  @Test("a mark ends where it did when the characters at its ends are deleted")
  func deletedEnds() {
    for growth in [ReplicatedText.Growth.neither, .both] {
      var text = ReplicatedText("[-fox-]", by: alice)
      text.mark(text.places(1..<6), as: "m", growing: growth, by: alice)
      text.removeSubrange(text.places(5..<7), by: bob)
      text.removeSubrange(text.places(0..<2), by: bob)
      #expect(shown(text) == "<m:fox>")
      text.insert("+", at: text.place(3), by: bob)
      text.insert("+", at: text.place(0), by: bob)
      #expect(shown(text) == (growth == .both ? "<m:+fox+>" : "+<m:fox>+"))
    }
  }

  @Test("what is inserted after a link whose last character was deleted isn't in it")
  func afterDeletedEnd() throws {
    var text = base
    text.mark(text.places(4..<7), as: "link", value: "a", growing: .neither, by: alice)
    text.removeSubrange(text.places(6..<7), by: bob)
    text.insert("+", at: text.place(6), by: bob)
    #expect(shown(text) == "The <link=a:fo>+ jumped.")
    text.insert("+", at: text.place(6), by: alice)
    #expect(shown(text) == "The <link=a:fo>++ jumped.")
    // Nor in one that ended at another character that was deleted beside it.
    text = ReplicatedText("abc.", by: alice)
    text.mark(text.places(0..<2), as: "one", growing: .neither, by: alice)
    text.mark(text.places(1..<3), as: "two", growing: .neither, by: alice)
    text.removeSubrange(text.places(1..<3), by: bob)
    text.insert("+", at: text.place(1), by: bob)
    #expect(shown(text) == "<one:a>+.")
  }

  @Test("a mark whose characters are all deleted is nowhere, also when others are inserted there")
  func allDeleted() {
    var text = base
    text.mark(text.places(4..<7), as: "link", value: "a", growing: .neither, by: alice)
    text.removeSubrange(text.places(4..<7), by: bob)
    #expect(shown(text) == "The  jumped.")
    text.insert("cat", at: text.place(4), by: bob)
    #expect(shown(text) == "The cat jumped.")
    #expect(text.ranges(markedAs: "link").isEmpty)
  }

  @Test("what is inserted at the same time into a mark whose characters are deleted has it")
  func deletedAround() throws {
    var text = base
    text.mark(text.places(4..<7), as: "link", value: "a", growing: .neither, by: alice)
    let result = try merged(
      text, { $0.removeSubrange($0.places(4..<7), by: alice) },
      { $0.insert("+", at: $0.place(5), by: bob) })
    #expect(result == "The <link=a:+> jumped.")
  }

  @Test("what replaces characters has the marks of the first of them")
  func replacements() {
    for growth in [ReplicatedText.Growth.neither, .atEnd] {
      var text = base
      text.mark(text.places(4..<7), as: "m", growing: growth, by: alice)
      var edited = text
      edited.edit(by: bob) { $0.replaceSubrange($0.text.places(4..<7), with: "cat") }
      #expect(shown(edited) == "The <m:cat> jumped.")
      text.set(to: "The cat jumped!", by: bob)
      #expect(shown(text) == "The <m:cat> jumped!")
    }
  }

  @Test("what is left of a mark on both sides of what was taken away grows as before")
  func leftOver() {
    for growth in [ReplicatedText.Growth.neither, .atStart, .atEnd, .both] {
      let atEnd = growth == .atEnd || growth == .both
      let atStart = growth == .atStart || growth == .both
      var text = ReplicatedText("abcdef", by: alice)
      text.mark(text.places(0..<6), as: "m", growing: growth, by: alice)
      text.unmark(text.places(2..<4), as: "m", by: bob)
      text.insert("+", at: text.place(4), by: bob)
      text.insert("+", at: text.place(2), by: bob)
      let expected =
        (atEnd ? "<m:ab+>" : "<m:ab>+") + "cd" + (atStart ? "<m:+ef>" : "+<m:ef>")
      #expect(shown(text) == expected, "\(growth)")
    }
  }

  @Test("a mark taken away as a whole is nowhere, also not where it grew")
  func takenAway() {
    for growth in [ReplicatedText.Growth.neither, .atStart, .atEnd, .both] {
      var text = base
      text.mark(text.places(4..<7), as: "m", growing: growth, by: alice)
      text.unmark(text.places(4..<7), as: "m", by: bob)
      text.insert("+", at: text.place(7), by: bob)
      text.insert("+", at: text.place(4), by: bob)
      #expect(shown(text) == "The +fox+ jumped.", "\(growth)")
    }
  }

  @Test("setting a mark and taking it away, again and again, keeps a few rows")
  func toggling() {
    var text = base
    for round in 0..<50 {
      let writer = ReplicaID(UInt64(1 + round % 3))
      let growth = [ReplicatedText.Growth.neither, .atEnd][round % 2]
      text.mark(text.places(4..<7), as: "m", growing: growth, by: writer)
      #expect(text.ranges(markedAs: "m").map { text[$0.range] } == ["fox"])
      text.mark(text.places(0..<3), as: "n", value: "\(round)", by: writer)
      text.unmark(text.places(4..<7), as: "m", by: writer)
      #expect(shown(text) == "<n=\(round):The> fox jumped.")
    }
    #expect(text._table.rowCount <= 3)
  }

  @Test("what changes nothing makes no event")
  func nothing() {
    var text = base
    text.mark(text.places(4..<7), as: "m", by: alice)
    let before = text
    text.mark(text.places(4..<7), as: "m", by: bob)
    text.mark(text.places(5..<6), as: "m", by: bob)
    text.mark(text.places(2..<2), as: "m", by: bob)
    text.unmark(text.places(7..<9), as: "m", by: bob)
    text.unmark(text.places(4..<7), as: "other", by: bob)
    #expect(text.edit(by: bob) { $0.mark($0.text.places(4..<7), as: "m") }.isEmpty)
    #expect(text == before && text.encoded() == before.encoded())
  }

  @Test("runs, ranges and single characters tell the same")
  func reading() throws {
    var text = base
    let delta = text.edit(by: alice) {
      $0.mark($0.text.places(4..<7), as: "link", value: "a", growing: .neither)
      $0.mark($0.text.places(10..<12), as: "link", value: "b", growing: .neither)
      $0.unmark($0.text.places(11..<12), as: "link")
    }
    var copy = base
    try copy.apply(decoding: delta.encoded())
    #expect(shown(copy) == "The <link=a:fox> ju<link=b:m>ped.")
    let ranges = text.ranges(markedAs: "link")
    #expect(ranges.map { text[$0.range] } == ["fox", "m"] && ranges.map(\.value) == ["a", "b"])
    #expect(text.marks(at: text.place(3)) == [:] && text.marks(at: text.place(4)) == ["link": "a"])
    #expect(text.marks(at: text.endIndex) == [:])
    let parts = text.runs(in: text.places(5..<9))
    #expect(parts.map { text[$0.range] } == ["ox", " j"])
    #expect(parts.map(\.marks) == [["link": "a"], [:]])
    #expect(Array(ReplicatedText().runs).isEmpty)
  }

  @Test("the ranges whose marks changed, where the text changed too")
  func changes() {
    var text = base
    text.mark(text.places(4..<7), as: "bold", by: alice)
    let earlier = text
    text.insert("es", at: text.place(7), by: alice)
    #expect(text.markChanges(since: earlier).isEmpty)
    text.mark(text.places(0..<5), as: "italic", by: alice)
    text.unmark(text.places(8..<9), as: "bold", by: alice)
    #expect(text.markChanges(since: earlier).map { text[$0] } == ["The f", "s"])
    #expect(text.markChanges(since: text).isEmpty)
  }
}
