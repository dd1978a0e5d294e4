import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// What an undo stack does to a text, and what it leaves.
@Suite("Undo of texts")
struct UndoStackTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  private func range(_ offsets: Range<Int>, of text: ReplicatedText) -> Range<ReplicatedText.Index>
  {
    text.index(offsets.lowerBound, in: .utf8)..<text.index(offsets.upperBound, in: .utf8)
  }

  private func remove(
    _ offsets: Range<Int>, of text: inout ReplicatedText, _ undo: inout UndoStack
  ) {
    let range = range(offsets, of: text)
    undo.edit(&text) { $0.removeSubrange(range) }
  }

  @Test("an undo removes what is still there of an insertion, and nothing of others")
  func insertion() {
    var (mine, undo) = (ReplicatedText("ab", by: laptop), UndoStack(for: phone))
    undo.edit(&mine) { $0.insert("12345", at: $0.text.index(1, in: .utf8)) }
    var theirs = mine
    theirs.removeSubrange(range(2..<3, of: theirs), by: laptop)
    theirs.insert("!", at: theirs.index(3, in: .utf8), by: laptop)
    mine.merge(theirs)
    #expect(String(mine) == "a13!45b")
    #expect(undo.undo(in: &mine).map { mine.offset(of: $0.lowerBound, in: .utf8) } == 1)
    #expect(String(mine) == "a!b" && !undo.canUndo)
    let place = undo.redo(in: &mine)
    // What the laptop removed is not put back.
    #expect(String(mine) == "a13!45b" && place.map { mine[$0] } == "13!45")
    #expect(undo.redo(in: &mine) == nil)
  }

  @Test("what two removed is put back once, whoever undoes first")
  func removedTwice() {
    var (mine, undo) = (ReplicatedText("one two three", by: phone), UndoStack(for: phone))
    var (theirs, other) = (mine, UndoStack(for: laptop))
    remove(0..<8, of: &mine, &undo)
    remove(4..<13, of: &theirs, &other)
    mine.merge(theirs)
    theirs.merge(mine)
    #expect(String(mine).isEmpty)
    undo.undo(in: &mine)
    #expect(String(mine) == "one two ")
    theirs.merge(mine)
    other.undo(in: &theirs)
    mine.merge(theirs)
    #expect(String(theirs) == "one two three" && String(mine) == "one two three")
    // Each takes out again what it has put back, and leaves the rest.
    undo.redo(in: &mine)
    #expect(String(mine) == "three")
  }

  @Test("what two put back at the same time stands there twice, and an undo of it removes both")
  func putBackTwice() {
    var (mine, undo) = (ReplicatedText(), UndoStack(for: phone))
    undo.edit(&mine) { $0.append("word") }
    var (theirs, other) = (mine, UndoStack(for: laptop))
    var (third, last) = (mine, UndoStack(for: ReplicaID(3)))
    remove(0..<4, of: &theirs, &other)
    remove(0..<4, of: &third, &last)
    theirs.merge(third)
    third.merge(theirs)
    other.undo(in: &theirs)
    last.undo(in: &third)
    mine.merge(theirs)
    mine.merge(third)
    #expect(String(mine) == "wordword")
    undo.undo(in: &mine)
    #expect(String(mine).isEmpty)
  }

  @Test("a mark and a selection stay around what two have put back in part at the same time")
  func rangesPutBackTwice() throws {
    var (mine, undo) = (ReplicatedText("xABCy", by: ReplicaID(3)), UndoStack(for: phone))
    mine.mark(range(1..<4, of: mine), as: "bold", growing: .neither, by: ReplicaID(3))
    let start = mine.anchor(at: mine.index(1, in: .utf8), .before)
    let end = mine.anchor(at: mine.index(4, in: .utf8), .after)
    var (theirs, other) = (mine, UndoStack(for: laptop))
    remove(1..<4, of: &mine, &undo)
    remove(1..<2, of: &theirs, &other)
    mine.merge(theirs)
    theirs.merge(mine)
    undo.undo(in: &mine)
    other.undo(in: &theirs)
    mine.merge(theirs)
    #expect(String(mine) == "xABCAy")
    for text in [mine, try mine.readBack()] {
      #expect(text.ranges(markedAs: "bold").map { text[$0.range] } == ["ABC"])
      let (lower, upper) = (try #require(text.index(of: start)), try #require(text.index(of: end)))
      #expect(text[lower..<upper] == "ABC")
    }
  }

  @Test("a step that removes what stands for what it removed puts that back once")
  func chains() {
    var (mine, undo) = (ReplicatedText("x", by: ReplicaID(3)), UndoStack(for: phone))
    var (theirs, other) = (mine, UndoStack(for: laptop))
    remove(0..<1, of: &mine, &undo)
    remove(0..<1, of: &theirs, &other)
    other.undo(in: &theirs)
    mine.merge(theirs)
    #expect(String(mine) == "x")
    undo.edit(&mine, continuing: true) { $0.set(to: "") }
    undo.undo(in: &mine)
    #expect(String(mine) == "x")
  }

  @Test("anchors at deleted characters are at those put back, on every replica, over and over")
  func anchors() throws {
    var (mine, undo) = (ReplicatedText("Hello world", by: laptop), UndoStack(for: phone))
    let anchors = (0...11).flatMap { place in
      [ReplicatedText.Side.before, .after].map {
        (place, mine.anchor(at: mine.index(place, in: .utf8), $0))
      }
    }
    let theirs = mine
    remove(2..<9, of: &mine, &undo)
    for _ in 0..<5 {
      undo.undo(in: &mine)
      for copy in [mine, theirs.merging(mine), try mine.readBack()] {
        #expect(String(copy) == "Hello world")
        for (place, anchor) in anchors {
          #expect(copy.index(of: anchor).map { copy.offset(of: $0, in: .utf8) } == place)
        }
      }
      undo.redo(in: &mine)
      #expect(String(mine) == "Held")
    }
  }

  @Test("marks are on what is put back, and a mark set meanwhile isn't lost by another one")
  func marks() throws {
    for growth in [ReplicatedText.Growth.neither, .atStart, .atEnd, .both] {
      var (mine, undo) = (ReplicatedText("plain bold link end", by: laptop), UndoStack(for: phone))
      mine.mark(range(6..<10, of: mine), as: "bold", growing: growth, by: laptop)
      mine.mark(range(11..<15, of: mine), as: "link", value: "u", growing: growth, by: phone)
      let runs = { (text: ReplicatedText) in text.runs.map { "\(text[$0.range]) \($0.marks)" } }
      for removed in [6..<10, 5..<11, 7..<9, 0..<19, 11..<15, 9..<12] {
        var copy = mine
        remove(removed, of: &copy, &undo)
        undo.undo(in: &copy)
        #expect(runs(copy) == runs(mine), "\(growth), \(removed)")
        let decoded = try copy.readBack()
        #expect(runs(decoded) == runs(mine), "\(growth), \(removed)")
        undo.removeAll()
      }
      // Put back before the X, the word isn't within the new mark.
      remove(6..<10, of: &mine, &undo)
      undo.undo(in: &mine)
      mine.insert("X", at: mine.index(10, in: .utf8), by: laptop)
      mine.mark(range(10..<19, of: mine), as: "bold", growing: .neither, by: laptop)
      #expect(
        mine.ranges(markedAs: "bold").map { mine[$0.range] }.joined() == "boldX link end".prefix(13)
      )
    }
  }

  @Test("a step is what one call does, or several that continue it; only so many are kept")
  func steps() {
    var (text, undo) = (ReplicatedText(), UndoStack(for: phone, maximumSteps: 2))
    for letter in ["a", "b", "c"] { undo.edit(&text) { $0.append(letter) } }
    undo.edit(&text, continuing: true) { $0.append("d") }
    undo.edit(&text, continuing: true) { $0.removeSubrange($0.text.startIndex..<$0.text.endIndex) }
    undo.edit(&text) { _ in }
    #expect(String(text).isEmpty)
    var seen: [String] = []
    while undo.undo(in: &text) != nil { seen.append(String(text)) }
    #expect(seen == ["ab", "a"])
    while undo.redo(in: &text) != nil { seen.append(String(text)) }
    #expect(seen == ["ab", "a", "ab", ""])
    undo.undo(in: &text)
    #expect(undo.canRedo)
    undo.edit(&text) { $0.append("e") }
    #expect(!undo.canRedo)
    undo.removeAll()
    #expect(!undo.canUndo && undo.undo(in: &text) == nil && String(text) == "abe")
  }

  @Test("a text of several pages comes back as it was, page by page")
  func pages() throws {
    var text = ReplicatedText()
    for number in 0..<60 {
      let place = text.index(number * 37 % (text.count(in: .utf8) + 1), in: .utf8)
      text.insert("\(number): some é words\n", at: place, by: number % 2 == 0 ? phone : laptop)
    }
    let before = String(text)
    let anchors = (0..<50).map { text.anchor(at: text.index($0 * 29, in: .utf8), .before) }
    let offsets = anchors.map { anchor in
      text.index(of: anchor).map { text.offset(of: $0, in: .utf8) }
    }
    var undo = UndoStack(for: phone)
    for _ in 0..<3 {
      undo.edit(&text) { $0.set(to: "") }
      undo.edit(&text) { $0.append("other") }
      undo.undo(in: &text)
      let place = undo.undo(in: &text)
      #expect(String(text) == before && place.map { text[$0] } == before)
      let decoded = try text.readBack()
      let found = anchors.map { anchor in
        decoded.index(of: anchor).map { decoded.offset(of: $0, in: .utf8) }
      }
      #expect(found == offsets)
      undo.redo(in: &text)
      #expect(String(text).isEmpty)
      undo.undo(in: &text)
    }
  }

  @Test("after a fork was mended, nothing is undone that may be another's")
  func forks() {
    let base = ReplicatedText("base ", by: phone)
    var (mine, theirs, undo) = (base, base, UndoStack(for: phone))
    undo.edit(&mine) { $0.append("mine") }
    theirs.append("theirs", by: phone)
    mine.merge(theirs)
    #expect(mine.forks == [phone])
    let merged = String(mine)
    #expect(undo.undo(in: &mine) == nil && String(mine) == merged)
    undo.edit(&mine) { $0.append("!") }
    undo.undo(in: &mine)
    #expect(String(mine) == merged)
  }

  @Test("elements that stand for each other in a circle, as a hostile peer says, end a search")
  func circle() {
    func column(_ replica: ReplicaID, for target: Dot) -> TextColumn {
      var column = TextColumn()
      "ab".utf8.withContiguousStorageIfAvailable {
        column.append(
          $0, count: 2, at: 1, of: replica, TextAnchor.left(of: target).standing(forNext: 2))
      }
      return column
    }
    let standIns = StandIns([
      column(phone, for: Dot(laptop, 1)), column(laptop, for: Dot(phone, 1)),
    ])
    func visited(from dot: Dot, living: Dot? = nil) -> [Dot] {
      var visited: [Dot] = []
      let isLiving = { (dot: Dot) in dot == living }
      standIns.forEachElement(inPlaceOf: dot, isLiving: isLiving) { next, _, _ in
        visited.append(next)
      }
      return visited
    }
    #expect(visited(from: Dot(phone, 1)) == [Dot(phone, 1), Dot(laptop, 1)])
    #expect(
      visited(from: Dot(phone, 2), living: Dot(laptop, 2)) == [Dot(phone, 2), Dot(laptop, 2)])
  }
}
