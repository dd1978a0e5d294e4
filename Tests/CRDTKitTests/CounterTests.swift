import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Counters")
struct CounterTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  @Test("10 and 10 by two replicas merge to 20, again and again")
  func tenAndTen() throws {
    var left = GCounter()
    var right = GCounter()
    try left.increment(10, by: phone)
    try right.increment(10, by: laptop)
    left.merge(right)
    left.merge(right)
    #expect(left.value == 20)

    var stock = PNCounter()
    var copy = stock
    try stock.increment(10, by: phone)
    try copy.increment(10, by: laptop)
    try copy.decrement(3, by: laptop)
    #expect(stock.merging(copy).value == 17)
  }

  @Test("merging never adopts an identity: who increments is said each time")
  func identities() throws {
    var left = GCounter()
    var right = GCounter()
    try left.increment(by: phone)
    try right.increment(5, by: laptop)
    left.merge(right)
    try left.increment(by: phone)
    right.merge(left)
    #expect(left.increments(of: phone) == 2 && left.increments(of: laptop) == 5)
    #expect(right == left)
  }

  @Test("laws hold on every triple of a small world")
  func laws() {
    var grown: [GCounter] = []
    var both: [PNCounter] = []
    for first in 0...2 as ClosedRange<UInt64> {
      for second in 0...2 as ClosedRange<UInt64> {
        grown.append(
          GCounter().with([(phone, first), (laptop, second)]))
        for taken in 0...1 as ClosedRange<UInt64> {
          both.append(PNCounter().with([(phone, first, taken), (laptop, taken, second)]))
        }
      }
    }
    #expect(mergeLawViolation(among: grown) == nil)
    #expect(mergeLawViolation(among: both) == nil)
  }

  @Test("counters of many replicas merge as a dictionary of maxima would")
  func manyReplicas() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let left = PNCounter.random(replicas: 60, using: &random)
      let right = PNCounter.random(
        replicas: Bool.random(using: &random) ? 60 : 5, using: &random)
      let merged = left.merging(right)
      for replica in (0..<80).map({ ReplicaID($0) }) {
        #expect(
          merged.increments(of: replica)
            == max(left.increments(of: replica), right.increments(of: replica)), "seed \(seed)")
        #expect(
          merged.decrements(of: replica)
            == max(left.decrements(of: replica), right.decrements(of: replica)), "seed \(seed)")
      }
      #expect(try PNCounter(decoding: merged.encoded()) == merged, "seed \(seed)")
      #expect(mergeLawViolation(among: [left, right, merged]) == nil, "seed \(seed)")
    }
  }

  @Test("a change beyond the bounds is an error, and changes nothing")
  func overflow() throws {
    var counter = PNCounter()
    try counter.increment(UInt64(Int64.max), by: phone)
    let top = counter
    #expect(throws: CounterOverflow(replica: laptop, amount: 1)) {
      try counter.increment(by: laptop)
    }
    #expect(counter == top && counter.value == Int(Int64.max))
    try counter.decrement(UInt64(Int64.max), by: laptop)
    try counter.increment(UInt64(Int64.max), by: phone)
    try counter.decrement(UInt64(Int64.max), by: laptop)
    let full = counter
    #expect(throws: CounterOverflow.self) { try counter.increment(2, by: phone) }
    #expect(throws: CounterOverflow.self) { try counter.decrement(.max, by: laptop) }
    #expect(counter == full && counter.value == 0)
    try counter.increment(by: phone)
    #expect(counter.increments(of: phone) == .max)

    try counter.decrement(1, by: ReplicaID(3))
    try counter.decrement(UInt64(Int64.max) + 1, by: ReplicaID(4))
    #expect(counter.value == Int(Int64.min))
    #expect(throws: CounterOverflow.self) { try counter.decrement(by: phone) }
    #expect(counter.value == Int(Int64.min))
  }

  @Test("replicas that reach the bounds apart merge exactly; the value is clamped")
  func exactness() throws {
    var left = GCounter()
    var right = GCounter()
    try left.increment(UInt64(Int64.max), by: phone)
    try right.increment(UInt64(Int64.max), by: laptop)
    left.merge(right)
    #expect(left.exactValue == 2 * Int128(Int64.max))
    #expect(left.value == Int.max)
    #expect(left.description == "18446744073709551614")
    #expect(throws: CounterOverflow.self) { try left.increment(by: phone) }

    var stock = PNCounter().with([(phone, UInt64.max, 0), (laptop, UInt64.max, 0)])
    try stock.decrement(1, by: phone)
    #expect(stock.exactValue == 2 * Int128(UInt64.max) - 1)
    #expect(throws: CounterOverflow.self) { try stock.increment(by: ReplicaID(3)) }
  }

  @Test("an edit makes one delta of many changes, or none")
  func edits() throws {
    var counter = PNCounter()
    try counter.increment(7, by: laptop)
    var copy = counter
    var inside: Int128 = 0
    let delta = try counter.edit(by: phone) {
      try $0.increment(5)
      try $0.decrement(2)
      inside = $0.exactValue
    }
    #expect(inside == 10)
    #expect(counter.value == 10 && delta.value == 3)
    #expect(try copy.apply(decoding: delta.encoded()))
    #expect(copy == counter)
    #expect(try !copy.apply(delta))

    #expect(throws: CounterOverflow.self) {
      try counter.edit(by: phone) {
        try $0.increment(1)
        try $0.increment(.max)
      }
    }
    #expect(counter == copy)
    let nothing = try counter.edit(by: phone) { try $0.increment(0) }
    #expect(nothing == PNCounter() && counter == copy)

    var likes = GCounter()
    try likes.increment(2, by: laptop)
    let more = try likes.edit(by: phone) { try $0.increment(4) }
    #expect(likes.value == 6 && more.value == 4)
  }
}
