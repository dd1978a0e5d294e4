import CRDTKit
import Testing

@Suite("Three copies of one line of events")
struct PartedLineTests {
  private let r = ReplicaID(3)

  @Test("lose nothing where two of them part within a stretch", arguments: [(1, 2), (3, 9)])
  func oneStretchTwice(few: Int, many: Int) throws {
    for (mine, theirs) in [(few, many), (many, few)] {
      var kept = ORSet<Int>()
      kept.beginStretch(of: r, nonce: 1)
      kept.insert(100, by: r)
      var one = ORSet<Int>()
      one.beginStretch(of: r, nonce: 5)
      one.insert(1, by: r)
      // A machine that is copied while it runs goes on in the same stretch.
      var other = one
      for number in 0..<mine { one.insert(200 + number, by: r) }
      for number in 0..<theirs { other.insert(300 + number, by: r) }
      let expected = Set([100, 1] + Array(200..<200 + mine) + Array(300..<300 + theirs))
      let (left, right) = (kept.merging(one), kept.merging(other))
      for merged in [left.merging(right), right.merging(left), left.merging(other)] {
        #expect(Set(merged) == expected)
        #expect(merged.encoded() == left.merging(right).encoded())
        #expect(try ORSet<Int>(decoding: merged.encoded()).merging(right) == merged)
      }
    }
  }

  @Test("have one name for what two of them share, so what one has removed stays away")
  func sharedEvents() {
    var base = ORSet<Int>()
    base.insert(1, by: r)
    var kept = base
    for number in 100..<110 { kept.insert(number, by: r) }
    var one = base
    for number in 2...4 { one.insert(number, by: r) }
    var other = one
    other.remove(3, by: r)
    other.insert(30, by: r)
    one.insert(20, by: r)
    let expected = Set([1, 2, 4, 20, 30] + Array(100..<110))
    for merged in [
      kept.merging(one.merging(other)), kept.merging(one).merging(other),
      other.merging(kept).merging(one), one.merging(kept.merging(other)),
    ] {
      #expect(Set(merged) == expected)
    }
  }
}
