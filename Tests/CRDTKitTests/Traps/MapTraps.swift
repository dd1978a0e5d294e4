import CRDTKit
import CRDTTestSupport
import Testing

/// The classic traps of replicated maps, each by its name.
@Suite("Traps: maps")
struct MapTraps {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  let tablet = ReplicaID(3)

  @Test("a counter field removed while incremented: 1, not 6")
  func counterRemoved() throws {
    for (counting, removing) in [(phone, laptop), (laptop, phone)] {
      var here = MergeMap<String, PNCounter>()
      try here.update("apples", by: counting) { try $0.increment(5) }
      var there = here
      there.removeValue(forKey: "apples", by: removing)
      try here.update("apples", by: counting) { try $0.increment(1) }
      for both in [here.merging(there), there.merging(here)] {
        #expect(both["apples"]?.value == 1)
        #expect(both.count == 1)
      }
      // Removed again, and counted again: never what was removed once.
      var both = here.merging(there)
      both.removeValue(forKey: "apples", by: removing)
      #expect(both["apples"] == nil && both.isEmpty && both.keys.isEmpty)
      try both.update("apples", by: counting) { try $0.increment(2) }
      #expect(both.merging(here).merging(there)["apples"]?.value == 2)
    }
  }

  @Test("counters beneath maps of maps: the removal of an outer key counts, too")
  func nestedCounterRemoved() throws {
    var here = MergeMap<String, MergeMap<String, GCounter>>()
    try here.update("fruits", by: phone) { try $0.update("apples") { try $0.increment(5) } }
    try here.update("fruits", by: phone) { try $0.update("pears") { try $0.increment(9) } }
    var there = here
    let removal = there.edit(by: laptop) { $0.removeValue(forKey: "fruits") }
    #expect(there.isEmpty && there["fruits"] == nil)
    try here.update("fruits", by: phone) { try $0.update("apples") { try $0.increment(1) } }
    let both = here.merging(there)
    #expect(both["fruits"]?["apples"]?.value == 1)
    #expect(both["fruits"]?["pears"] == nil)
    #expect(both["fruits"]?.count == 1)
    var taken = here
    try taken.apply(decoding: removal.encoded())
    #expect(taken == both)
  }

  @Test("two removals of a counter that saw different totals join by the greater")
  func twoRemovals() throws {
    var counting = MergeMap<String, GCounter>()
    try counting.update("c", by: phone) { try $0.increment(2) }
    var first = counting
    first.removeValue(forKey: "c", by: laptop)
    try counting.update("c", by: phone) { try $0.increment(3) }
    var second = counting
    second.removeValue(forKey: "c", by: tablet)
    try counting.update("c", by: phone) { try $0.increment(4) }
    let all = [counting, first, second]
    for one in all {
      for two in all {
        for three in all where Set([one, two, three]).count == 3 {
          #expect(one.merging(two).merging(three)["c"]?.value == 4)
        }
      }
    }
  }

  @Test("counters that keep one number for all replicas: 10 and 10 are 20")
  func tenAndTen() throws {
    var here = MergeMap<String, GCounter>()
    try here.update("c", by: phone) { try $0.increment(10) }
    var there = MergeMap<String, GCounter>()
    try there.update("c", by: laptop) { try $0.increment(10) }
    #expect(here.merging(there)["c"]?.value == 20)
    #expect(there.merging(here)["c"]?.value == 20)
  }

  @Test("counters that wrap or drop increments at the limit: an error, and no change")
  func overflow() throws {
    var map = MergeMap<String, PNCounter>()
    try map.update("c", by: phone) { try $0.increment(UInt64(Int64.max)) }
    let full = map
    #expect(throws: CounterOverflow.self) { try map.update("c", by: phone) { try $0.increment() } }
    #expect(throws: CounterOverflow.self) {
      try map.update("c", by: laptop) { try $0.increment(.max) }
    }
    #expect(map == full)
    #expect(map["c"]?.value == .max)
    // Concurrently, both sides may pass the limit: exact, and no trap.
    var other = MergeMap<String, PNCounter>()
    try other.update("c", by: laptop) { try $0.increment(UInt64(Int64.max)) }
    let both = map.merging(other)
    #expect(both["c"]?.exactValue == 2 * Int128(Int64.max))
    #expect(both["c"]?.value == .max)
  }

  @Test("key removed while updated beneath: what was written concurrently survives, only that")
  func removedWhileUpdated() throws {
    var here = MergeMap<String, ORSet<Int>>()
    here.update("k", by: phone) {
      $0.insert(1)
      $0.insert(2)
    }
    here.update("other", by: phone) { $0.insert(9) }
    var there = here
    there.removeValue(forKey: "k", by: laptop)
    here.update("k", by: phone) { $0.insert(3) }
    for both in [here.merging(there), there.merging(here)] {
      #expect(both["k"].map(Set.init) == [3])
      #expect(both["other"].map(Set.init) == [9])
      #expect(Set(both.keys) == ["k", "other"])
    }
    var register = MergeMap<String, MVRegister<Int>>()
    register.update("k", by: phone) { $0.set(1) }
    var removed = register
    removed.removeValue(forKey: "k", by: laptop)
    #expect(register.merging(removed).isEmpty)
    register.update("k", by: phone) { $0.set(2) }
    #expect(register.merging(removed)["k"]?.values == [2])
    var nested = MergeMap<String, MergeMap<String, EWFlag>>()
    nested.update("k", by: phone) { $0.update("a") { $0.enable() } }
    var gone = nested
    gone.removeValue(forKey: "k", by: laptop)
    nested.update("k", by: phone) { $0.update("b") { $0.enable() } }
    #expect(nested.merging(gone)["k"]?.keys == ["b"])
  }

  @Test("removing a key that is absent is no event, and removes nothing elsewhere")
  func removeOfNothing() {
    var here = MergeMap<String, ORSet<Int>>()
    var there = here
    here.update("k", by: phone) { $0.insert(1) }
    let wasPresent = there.removeValue(forKey: "k", by: laptop)
    #expect(!wasPresent)
    #expect(there.version == [:])
    #expect(there.merging(here).count == 1)
  }

  @Test("equal timestamps that leave two replicas with different values: the greater form wins")
  func equalStamps() throws {
    let stamp = HybridTimestamp(milliseconds: 5, replica: tablet)
    func write<Value>(_ value: Value, by replica: ReplicaID) -> MergeMap<Int, LWWRegister<Value>> {
      var map = MergeMap<Int, LWWRegister<Value>>()
      map.update(1, by: replica) { $0.set(value, at: stamp) }
      return map
    }
    let (a, b) = (write(1, by: phone), write(2, by: laptop))
    #expect(a.merging(b)[1]?.value == 2)
    #expect(a.merging(b) == b.merging(a))
    let doubles = [Double.nan, 1, 0, -0.0, -.nan, .infinity]
    for left in doubles {
      for right in doubles {
        let (a, b) = (write(left, by: phone), write(right, by: laptop))
        let (both, other) = (a.merging(b), b.merging(a))
        #expect(both.encoded() == other.encoded())
        #expect(both[1]?.value.bitPattern == other[1]?.value.bitPattern)
      }
    }
  }

  @Test("a map knows keys by their meaning, nests deeply and forgets what was removed")
  func bookkeeping() {
    var map = MergeMap<Int, MergeMap<Int, MergeMap<Int, MVRegister<Int>>>>()
    for outer in 0..<6 {
      for middle in 0..<4 {
        map.update(outer, by: phone) {
          $0.update(middle) { $0.update(outer * middle) { $0.set(outer + middle) } }
        }
      }
    }
    #expect(map.count == 6)
    #expect(map[5]?[3]?[15]?.value == 8)
    map.update(5, by: laptop) { $0.update(3) { $0.removeValue(forKey: 15) } }
    #expect(map[5]?[3] == nil)
    #expect(map[5]?.count == 3)
    for outer in 0..<6 { map.removeValue(forKey: outer, by: laptop) }
    #expect(map.isEmpty && map.count == 0 && Array(map).isEmpty)
    #expect(map.encoded().count - markBytes(of: map.version) < 48)
  }
}
