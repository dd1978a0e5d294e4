import CRDTKit
import CRDTTestSupport
import Testing

/// Two places that write and mark under one name: marks stay with the words that they were
/// given to.
@Suite("Forks of texts with marks")
struct MarkForkTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  let words = ["LEFT", "right!"]

  /// The two lines, each with a word of its own that has a mark.
  private var sides: [ReplicatedText] {
    let base = ReplicatedText("common ", by: phone)
    return (0...1).map { side in
      var text = base
      text.append(words[side], by: phone)
      text.mark(text.places(word(side)), as: "side \(side)", growing: .neither, by: phone)
      return text
    }
  }

  private func word(_ side: Int) -> Range<Int> { 7..<7 + words[side].count }

  @Test("each word keeps the marks of its line, and those of one who has seen it")
  func marksStay() {
    for seen in 0...1 {
      let sides = sides
      var third = sides[seen]
      third.mark(third.places(word(seen)), as: "link", growing: .neither, by: laptop)
      let (one, two) = (sides[0], sides[1])
      var all = [
        one.merging(two).merging(third), two.merging(one).merging(third),
        third.merging(sides[1 - seen]), sides[1 - seen].merging(third),
        third.merging(one.merging(two)), one.merging(third).merging(two),
        two.merging(third).merging(one),
      ]
      for merged in all {
        for place in all.indices { all[place].merge(merged) }
      }
      for merged in all {
        merged._table.checkEveryInvariant()
        #expect(merged.forks == [phone])
        #expect(merged.encoded() == all[0].encoded(), "seen: \(seen)")
        for side in 0...1 {
          let marked = merged.ranges(markedAs: "side \(side)").map { merged[$0.range] }
          #expect(marked == [words[side]], "seen: \(seen)")
        }
        let linked = merged.ranges(markedAs: "link").map { merged[$0.range] }
        #expect(linked == [words[seen]], "seen: \(seen)")
      }
    }
  }

  @Test("a mark of one who has seen both lines reaches a copy of either")
  func both() throws {
    let sides = sides
    var third = sides[0].merging(sides[1])
    let whole = third.startIndex..<third.endIndex
    let delta = third.edit(by: laptop) {
      $0.mark(whole, as: "link", growing: .neither)
    }
    for side in sides {
      #expect(Array(side.merging(third).runs) == Array(third.runs))
      var copy = side
      // It doesn't have the other line, so the delta alone doesn't fit.
      #expect(throws: DeltaError.self) { try copy.apply(delta) }
      copy.merge(third)
      #expect(copy.ranges(markedAs: "link").map { copy[$0.range] } == [String(third)])
    }
  }
}
