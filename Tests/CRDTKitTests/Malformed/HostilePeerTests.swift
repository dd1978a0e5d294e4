import CRDTKit
import CRDTTestSupport
import Testing

/// States and deltas that are well formed and lie.
///
/// No replica can tell, so they take effect; but nothing traps, tables stay sound,
/// and all who merge them agree.
@Suite("Hostile peers")
struct HostilePeerTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  let counterMax: UInt64 = 1 << 48 - 1

  private func honest() -> ORSet<Int> {
    var set = ORSet<Int>()
    for element in 0..<40 { set.insert(element, by: phone) }
    for element in 30..<60 { set.insert(element, by: laptop) }
    return set
  }

  private func state(_ write: (inout ByteWriter) -> Void) throws -> ORSet<Int> {
    try ORSet(decoding: forged(ORSet<Int>.typeCode, write))
  }

  private func delta(_ write: (inout ByteWriter) -> Void) throws -> ORSet<Int>.Delta {
    try ORSet<Int>.Delta(decoding: forged(ORSet<Int>.Delta.typeCode, write))
  }

  /// Lets copies of the honest set take in the state in every order, and work on.
  ///
  /// A lie that is a fork has other rows under dots that the honest set has; no
  /// merge can make that the same without looking at each row.
  private func takeIn(_ lie: ORSet<Int>, isFork: Bool = false) throws {
    let one = honest()
    let (both, reverse) = (one.merging(lie), lie.merging(one))
    for set in [both, reverse] {
      set._table.checkEveryInvariant()
      #expect(set.allSatisfy(set.contains))
    }
    #expect(both.version == reverse.version)
    #expect(isFork || both == reverse)
    var next = both
    let delta = next.edit(by: phone) {
      $0.insert(7)
      $0.remove(41)
    }
    #expect(next.contains(7) && !next.contains(41))
    next._table.checkEveryInvariant()
    #expect(try ORSet<Int>(decoding: next.encoded()) == next)
    var follower = both
    try follower.apply(decoding: delta.encoded())
    #expect(follower == next)
    #expect(follower.merging(lie).version == next.version)
  }

  @Test("a context that claims dots it doesn't carry: they read as removed, the same everywhere")
  func emptyClaims() throws {
    let lie = try state { writer in
      writer.write(varint: 2)
      writer.write(head: phone, seen: 41)
      writer.write(head: laptop, seen: 100_000)
      writer.write(runs: [])
      writer.write(runs: [])
    }
    try takeIn(lie)
    #expect(honest().merging(lie).isEmpty)
  }

  @Test("other replicas' slots: rows under names that are not the sender's")
  func othersSlots() throws {
    let lie = try state { writer in
      writer.write(varint: 2)
      writer.write(head: phone, seen: 43)
      writer.write(head: laptop, seen: 31)
      writer.write(runs: [2...2, 41...43])
      for difference in [500, 1, 1, 1] { writer.write(signedVarint: Int64(difference)) }
      writer.write(runs: [1...31])
      for _ in 1...31 { writer.write(signedVarint: 1) }
    }
    try takeIn(lie, isFork: true)
  }

  @Test("the greatest counters there can be: writers go on, and what they write can be read")
  func farFuture() throws {
    for seen in [counterMax, counterMax - 1, 1 << 47] {
      for runs in [[], [seen...seen]] as [[ClosedRange<UInt64>]] {
        let lie = try state { writer in
          writer.write(varint: 1)
          writer.write(head: phone, seen: seen)
          writer.write(runs: runs)
          for _ in runs { writer.write(signedVarint: 3) }
        }
        try takeIn(lie)
        var set = honest().merging(lie)
        for element in 0..<5 {
          set.insert(element, by: phone)
          #expect(set.contains(element))
        }
        #expect(try ORSet<Int>(decoding: set.encoded()) == set)
      }
    }
    #expect(throws: DecodingFailure.self) {
      try state { writer in
        writer.write(varint: 1)
        writer.write(head: phone, seen: counterMax + 1)
        writer.write(runs: [])
      }
    }
  }

  @Test("deltas after the greatest counter lose nothing on the way")
  func farFutureDeltas() throws {
    var set = try state { writer in
      writer.write(varint: 1)
      writer.write(head: phone, seen: counterMax)
      writer.write(runs: [])
    }
    var follower = set
    for element in 0..<4 {
      let delta = set.edit(by: phone) { $0.insert(element) }
      try follower.apply(decoding: delta.encoded())
      var late = try ORSet<Int>(
        decoding: forged(ORSet<Int>.typeCode) { writer in
          writer.write(varint: 1)
          writer.write(head: phone, seen: counterMax)
          writer.write(runs: [])
        })
      if element > 0 {
        #expect(throws: DeltaError.self) { try late.apply(decoding: delta.encoded()) }
      }
    }
    #expect(follower == set)
    #expect(Set(follower) == [0, 1, 2, 3])
  }

  @Test("kills of rows that never were, of all, and of the delta's own")
  func wildKills() throws {
    let lie = try delta { writer in
      writer.write(varint: 2)
      // An event without a row: so nobody can work out what they come to.
      writer.write(head: phone, base: 40, seen: 43)
      writer.write(head: ReplicaID(9), base: 0, seen: 3)
      writer.write(runs: [41...42], after: 40)
      writer.write(signedVarint: 70)
      writer.write(signedVarint: 1)
      writer.write(runs: [])
      writer.write(0 as UInt8)
      writer.write(varint: 3)  // by the phone's event 41: phone:5, phone:41 itself, laptop:7
      for (later, place, step) in [(1, 1, 5), (0, 1, 36), (0, 0, -34)] as [(UInt64, UInt64, Int64)]
      {
        writer.write(varint: later)
        writer.write(varint: place << 1)
        if place == 0 { laptop.encode(to: &writer) }
        writer.write(signedVarint: step)
      }
      writer.write(varint: 1)  // by the stranger's event 3: its own event 2⁴⁸ − 1
      writer.write(varint: 3)
      writer.write(varint: 2 << 1)
      writer.write(signedVarint: Int64(counterMax))
    }
    var taker = honest()
    try taker.apply(lie)
    taker._table.checkEveryInvariant()
    #expect(!taker.contains(4))
    #expect(taker.contains(70))
    taker.insert(4, by: laptop)
    #expect(try ORSet<Int>(decoding: taker.encoded()) == taker)
    var follower = honest()
    try follower.apply(taker.delta(since: honest().version))
    #expect(follower == taker)
  }

  @Test("a kill of every event there can be takes what is there; one of more is refused")
  func endlessKill() throws {
    func kill(_ more: UInt64) throws -> ORSet<Int>.Delta {
      try delta { writer in
        writer.write(varint: 2)
        writer.write(head: phone, base: 40, seen: 40)
        writer.write(head: ReplicaID(9), base: 0, seen: 1)
        writer.write(runs: [])
        writer.write(0 as UInt8)
        for word in [1, 1, 1] as [UInt64] { writer.write(varint: word) }
        phone.encode(to: &writer)
        writer.write(signedVarint: 1)
        writer.write(varint: more)
      }
    }
    for more in [0, counterMax, .max] {
      #expect(throws: DecodingFailure.self) { try kill(more) }
    }
    var taker = honest()
    try taker.apply(kill(counterMax - 1))
    taker._table.checkEveryInvariant()
    #expect(Set(taker) == Set(30..<60))
  }

  @Test("survivors that contradict the rows: nothing traps")
  func wildSurvivors() throws {
    let lie = try delta { writer in
      writer.write(varint: 2)
      writer.write(head: phone, base: 40, seen: 60)
      writer.write(head: laptop, base: 30, seen: 31)
      writer.write(runs: [60...60], after: 40)
      writer.write(signedVarint: 99)
      writer.write(runs: [], after: 30)
      writer.write(1 as UInt8)
      writer.write(runs: [1...1, 40...40])
      writer.write(runs: [])
    }
    var taker = honest()
    try taker.apply(lie)
    taker._table.checkEveryInvariant()
    #expect(Set(taker).isSubset(of: [0, 39, 99]))
    #expect(taker.allSatisfy(taker.contains))
  }

  @Test("a flood of names: tens of thousands of replicas, each with nothing")
  func manyNames() throws {
    let count = 20_000
    let lie = try state { writer in
      writer.write(varint: UInt64(count))
      for name in 0..<UInt64(count) { writer.write(head: ReplicaID(name), seen: 50 + name % 9) }
      for _ in 0..<count { writer.write(runs: []) }
    }
    try takeIn(lie)
    #expect(honest().merging(lie).version.count == count)
  }

  @Test("rows scattered over the greatest range there is")
  func scattered() throws {
    let counters = Array(stride(from: 1, to: counterMax, by: Int(counterMax / 2_000)))
    let lie = try state { writer in
      writer.write(varint: 1)
      writer.write(head: ReplicaID(5), seen: counterMax)
      writer.write(runs: counters.map { $0...$0 })
      writer.write(scattered: counters.count)
    }
    try takeIn(lie)
    #expect(lie.count == counters.count)
  }
}
