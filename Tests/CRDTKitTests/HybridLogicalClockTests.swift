import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Hybrid logical clocks")
struct HybridLogicalClockTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  let minute: UInt64 = 60_000

  @Test("stamps follow the wall clock, and count within a millisecond")
  func following() {
    var clock = HybridLogicalClock(replica: phone)
    #expect(clock.now(wallMilliseconds: 5).description == "5.0@0000000000000001")
    #expect(clock.now(wallMilliseconds: 5).description == "5.1@0000000000000001")
    #expect(clock.now(wallMilliseconds: 9).description == "9.0@0000000000000001")
  }

  @Test("a clock that stands still, goes back or leaps never gives a lesser stamp")
  func monotone() {
    let seed: UInt64 = 42
    var random = SeededGenerator(seed: seed)
    var clock = HybridLogicalClock(replica: phone)
    var last = clock.latest
    let walls: [UInt64] = [0, 1, 1000, 1_714_564_800_000, 4_294_967_296_000, 1 << 47]
    for _ in 0..<10_000 {
      let wall = walls[Int(random.next() % 6)] + random.next() % 3
      let stamp = clock.now(wallMilliseconds: wall)
      #expect(stamp > last && stamp == clock.latest, "seed \(seed)")
      last = stamp
    }
  }

  @Test("after 65,536 stamps in a millisecond the milliseconds go on")
  func logicalOverflow() {
    var clock = HybridLogicalClock(replica: phone)
    for count in 0..<65_536 {
      #expect(clock.now(wallMilliseconds: 7).logical == UInt16(count))
    }
    let stamp = clock.now(wallMilliseconds: 7)
    #expect(stamp.milliseconds == 8 && stamp.logical == 0)
  }

  @Test("a stamp made after one from a clock ahead is greater")
  func receiving() throws {
    var clock = HybridLogicalClock(replica: phone)
    let ahead = HybridTimestamp(milliseconds: 4 * minute, logical: 9, replica: laptop)
    try clock.receive(ahead, wallMilliseconds: minute)
    #expect(clock.now(wallMilliseconds: minute) > ahead)
    #expect(clock.now(wallMilliseconds: 2 * minute) > ahead)
  }

  @Test("a clock an hour ahead is refused, and nothing changes")
  func driftRefusal() throws {
    var clock = HybridLogicalClock(replica: phone)
    _ = clock.now(wallMilliseconds: minute)
    let before = clock
    let hour = HybridTimestamp(milliseconds: 61 * minute, replica: laptop)
    let error = #expect(throws: HybridLogicalClock.DriftError.self) {
      try clock.receive(hour, wallMilliseconds: minute)
    }
    #expect(error?.stamp == hour)
    #expect(error?.description.contains("60 min ahead") == true)
    #expect(clock == before)

    let limit = HybridTimestamp(milliseconds: 6 * minute, logical: .max, replica: laptop)
    try clock.receive(limit, wallMilliseconds: minute)
    clock.maximumDrift = .seconds(2 * 3_600)
    try clock.receive(hour, wallMilliseconds: minute)
    #expect(clock.now(wallMilliseconds: minute) > hour)
  }

  @Test("a far-future clock does not make later local stamps useless")
  func farFuture() {
    var clock = HybridLogicalClock(replica: phone)
    let end = HybridTimestamp(time: .max, replica: laptop)
    #expect(throws: HybridLogicalClock.DriftError.self) {
      try clock.receive(end, wallMilliseconds: minute)
    }
    #expect(clock.now(wallMilliseconds: minute).milliseconds == minute)
  }

  @Test("stamps that were passed already are in order when the wall clock is set back")
  func setBack() throws {
    var clock = HybridLogicalClock(replica: phone)
    _ = clock.now(wallMilliseconds: 120 * minute)
    let passed = HybridTimestamp(milliseconds: 119 * minute, replica: laptop)
    try clock.receive(passed, wallMilliseconds: minute)
    #expect(clock.now(wallMilliseconds: minute).milliseconds == 120 * minute)
  }

  @Test("at the end of 48 bits stamps stay equal and nothing traps")
  func endOfTime() throws {
    var clock = HybridLogicalClock(replica: phone, maximumDrift: .seconds(Int64.max))
    try clock.receive(HybridTimestamp(time: .max, replica: laptop), wallMilliseconds: .max)
    #expect(clock.now(wallMilliseconds: .max).time == .max)
    #expect(clock.now(wallMilliseconds: 0).time == .max)
    var other = HybridLogicalClock(replica: phone)
    #expect(other.now(wallMilliseconds: .max).milliseconds == HybridTimestamp.maximumMilliseconds)
  }

  @Test("a resumed clock goes on above what it had made or received")
  func resuming() throws {
    var clock = HybridLogicalClock(replica: phone)
    _ = clock.now(wallMilliseconds: 50)
    try clock.receive(
      HybridTimestamp(milliseconds: 70, logical: 3, replica: laptop), wallMilliseconds: 50)
    let kept = clock.latest
    var resumed = HybridLogicalClock(replica: phone, resuming: kept)
    let stamp = resumed.now(wallMilliseconds: 10)
    #expect(stamp > kept)
    #expect(stamp.description == "70.4@0000000000000001")
  }
}
