import CRDTKit
import CRDTTestSupport
import Testing

/// The classic traps of exchanging deltas, each by its name.
@Suite("Traps: deltas")
struct DeltaTraps {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  let tablet = ReplicaID(3)

  @Test("gap then fill: refused, named, unchanged; then taken in")
  func gapThenFill() throws {
    var source = ORSet<Int>()
    let deltas = (0..<5).map { element in source.edit(by: phone) { $0.insert(element) } }
    var target = ORSet<Int>()
    for place in [4, 2, 3, 1] {
      #expect(throws: DeltaError.gap(missing: [phone: UInt64(place)])) {
        try target.apply(deltas[place])
      }
    }
    #expect(target == ORSet())
    for delta in deltas {
      let isNew = try target.apply(delta)
      #expect(isNew)
    }
    #expect(target == source)
    for delta in deltas.reversed() {
      let isNew = try target.apply(decoding: delta.encoded())
      #expect(!isNew)
    }
    #expect(target == source)
  }

  @Test("a gap that loses elements for ever: not even a whole-state merge is needed")
  func gapThenMerge() throws {
    var source = ORSet<Int>()
    source.edit(by: phone) { $0.insert(1) }
    let second = source.edit(by: phone) { $0.insert(2) }
    var target = ORSet<Int>()
    #expect(throws: DeltaError.self) { try target.apply(second) }
    target.merge(source)
    #expect(Set(target) == [1, 2])
    #expect(target.encoded() == source.encoded())
  }

  @Test("a relayed delta that leaves a hole for good: the relay's base is asked for")
  func relay() throws {
    var source = ORSet<Int>()
    let first = source.edit(by: phone) { $0.insert(1) }
    var relay = ORSet<Int>()
    try relay.apply(first)
    let before = relay.version
    try relay.apply(source.edit(by: phone) { $0.insert(2) })
    let relayed = relay.delta(since: before).encoded()
    var target = ORSet<Int>()
    #expect(throws: DeltaError.gap(missing: [phone: 1])) { try target.apply(decoding: relayed) }
    try target.apply(decoding: relay.delta(since: target.version).encoded())
    #expect(target == source)
  }

  @Test("a remove lost after a delta sync: it goes with the delta")
  func removal() throws {
    var here = ORSet<Int>()
    here.insert(1, by: phone)
    var there = here
    here.remove(1, by: phone)
    try there.apply(decoding: here.delta(since: there.version).encoded())
    #expect(there.isEmpty)
    there.insert(2, by: laptop)
    try here.apply(decoding: there.delta(since: here.version).encoded())
    #expect(Array(here) == [2])
    #expect(here == there)
  }

  @Test("a delta older than the kill log: exact all the same, and from whoever relays it")
  func olderThanLog() throws {
    var source = ORSet<Int>()
    var old: [ORSet<Int>] = [source]
    for round in 0..<5 {
      source.edit(by: phone) { editor in
        for event in 0..<1_300 { editor.insert(event % (50 + round)) }
        for element in 0..<20 { editor.remove(element) }
      }
      old.append(source)
    }
    let log = source._table.columns[0].kills
    #expect(log.floor > old[2].version[phone], "the log must have been cut by itself")
    var relay = ORSet<Int>()
    try relay.apply(decoding: source.delta(since: [:]).encoded())
    for sender in [source, relay, try ORSet(decoding: source.encoded())] {
      for var target in old {
        target.insert(-1, by: laptop)
        try target.apply(decoding: sender.delta(since: target.version).encoded())
        var expected = source
        expected.insert(-1, by: laptop)
        #expect(Set(target) == Set(source).union([-1]))
        #expect(target.encoded() == expected.encoded())
        target._table.checkEveryInvariant()
      }
    }
  }

  @Test("a throwing merge that leaves the receiver half changed: nothing has changed")
  func allOrNothing() throws {
    var source = ORSet<Int>()
    for element in 0..<30 { source.insert(element, by: phone) }
    for element in 30..<60 { source.insert(element, by: tablet) }
    // A receiver with a fork in the last of the delta's columns.
    var target = ORSet<Int>()
    target.insert(99, by: laptop)
    for _ in 0..<30 { target.insert(-5, by: tablet) }
    let before = target
    #expect(throws: DeltaError.fork(tablet)) { try target.apply(source.delta(since: [:])) }
    #expect(target == before && target.encoded() == before.encoded())
    #expect(throws: DeltaError.fork(tablet)) { try target.merge(decoding: source.encoded()) }
    #expect(target == before && target.forks.isEmpty)
    // Bytes that are damaged at their very end, whose versions look new.
    var damaged = source.encoded()
    damaged[damaged.count - 6] ^= 0x40
    for bytes in [damaged, sealed(Array(damaged.dropLast(7)) + [0, 0, 0, 0])] {
      var taker = ORSet<Int>()
      taker.insert(1, by: laptop)
      let untouched = taker
      #expect(throws: DeltaError.self) { try taker.merge(decoding: bytes) }
      #expect(taker == untouched)
    }
  }

  @Test("a replica that lost its disk takes its own old deltas back and goes on")
  func lostDisk() throws {
    var old = ORSet<Int>()
    let deltas = (0..<4).map { element in old.edit(by: phone) { $0.insert(element) } }
    var fresh = ORSet<Int>()
    for delta in deltas { try fresh.apply(decoding: delta.encoded()) }
    fresh.insert(4, by: phone)
    #expect(fresh.version == [phone: 5])
    #expect(Set(old.merging(fresh)) == [0, 1, 2, 3, 4])
    // One that wrote first has used a dot again: that is told, and nothing traps.
    var hasty = ORSet<Int>()
    hasty.insert(100, by: phone)
    var refused = 0
    for delta in deltas {
      do throws(DeltaError) { try hasty.apply(decoding: delta.encoded()) } catch { refused += 1 }
    }
    #expect(refused > 0)
    hasty._table.checkEveryInvariant()
  }

  @Test("an edit's delta lists in its base only what its author had newly seen")
  func compactBase() throws {
    var source = ORSet<Int>()
    for writer in 10..<60 as Range<UInt64> { source.insert(Int(writer), by: ReplicaID(writer)) }
    let first = source.edit(by: phone) { $0.insert(1) }
    #expect(first.base.count == 50)
    let second = source.edit(by: phone) { $0.insert(2) }
    #expect(second.base == [phone: 1])
    source.insert(7, by: laptop)
    let third = source.edit(by: phone) { $0.insert(3) }
    #expect(third.base == [phone: 2, laptop: 1])
    // Whoever lacks what the first edit had seen is not fooled by the short base.
    var target = ORSet<Int>()
    for delta in [third, second, first] {
      #expect(throws: DeltaError.self) { try target.apply(delta) }
    }
  }

  @Test("an edit whose body throws keeps what was done, and no later delta misses it")
  func throwingEdit() throws {
    struct Stop: Error {}
    var source = ORSet<Int>()
    source.edit(by: phone) { $0.insert(1) }
    var target = source
    #expect(throws: Stop.self) {
      try source.edit(by: phone) { editor in
        editor.insert(2)
        throw Stop()
      }
    }
    #expect(Set(source) == [1, 2])
    let later = source.edit(by: phone) { $0.insert(3) }
    #expect(throws: DeltaError.gap(missing: [phone: 2])) { try target.apply(later) }
    try target.apply(source.delta(since: target.version))
    #expect(target == source)
  }
}
