import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Last-writer-wins registers")
struct LWWRegisterTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  func stamp(_ milliseconds: UInt64, _ replica: ReplicaID) -> HybridTimestamp {
    HybridTimestamp(milliseconds: milliseconds, replica: replica)
  }

  @Test("the greatest stamp wins, and the greater replica among equal times")
  func greatestWins() {
    var register = LWWRegister("a", at: stamp(1, phone))
    let isLater = register.set("b", at: stamp(2, phone))
    let isEarlier = register.set("c", at: stamp(1, laptop))
    #expect(isLater && !isEarlier && register.value == "b")
    register.merge(LWWRegister("d", at: stamp(2, laptop)))
    #expect(register.value == "d" && register.timestamp == stamp(2, laptop))
    register.merge(LWWRegister("e", at: stamp(2, phone)))
    #expect(register.value == "d")
  }

  @Test("a tie of stamps falls to the greater canonical form, on both sides")
  func ties() {
    let same = stamp(1, phone)
    for (left, right) in [("a", "b"), ("", "a"), ("é", "e\u{301}"), ("b", "aa")] {
      let one = LWWRegister(left, at: same)
      let other = LWWRegister(right, at: same)
      #expect(one.merging(other) == other.merging(one))
      let greater = bytes(of: left).lexicographicallyPrecedes(bytes(of: right)) ? right : left
      #expect(Array(one.merging(other).value.utf8) == Array(greater.utf8))
    }
  }

  @Test("numbers that differ from themselves, or do not differ, still converge")
  func oddNumbers() {
    let same = stamp(1, phone)
    let numbers: [Double] = [
      0, -0.0, 1, .nan, -.nan, Double(nan: 5, signaling: false), .signalingNaN, .infinity,
    ]
    let states = numbers.map { LWWRegister($0, at: same) }
    #expect(mergeLawViolation(among: states) == nil)
    #expect(Set(states).count == states.count)
    #expect(LWWRegister(Double.nan, at: same) == LWWRegister(Double.nan, at: same))
    #expect(LWWRegister(-0.0, at: same) != LWWRegister(0.0, at: same))
  }

  @Test("laws hold on every triple of a small world")
  func laws() {
    var states: [LWWRegister<String>] = []
    for time in 1...2 {
      for replica in [phone, laptop] {
        for value in ["", "a", "é", "e\u{301}"] {
          states.append(LWWRegister(value, at: stamp(UInt64(time), replica)))
        }
      }
    }
    #expect(mergeLawViolation(among: states) == nil)
  }

  @Test("a write made after seeing one from a clock ahead wins everywhere")
  func writeAfterSeeing() throws {
    let wall: UInt64 = 1_000_000
    var ahead = HybridLogicalClock(replica: laptop)
    var clock = HybridLogicalClock(replica: phone)
    let remote = LWWRegister("ahead", at: ahead.now(wallMilliseconds: wall + 240_000))
    var local = LWWRegister("first", at: clock.now(wallMilliseconds: wall))
    try clock.receive(remote.timestamp, wallMilliseconds: wall)
    local.merge(remote)
    #expect(local.value == "ahead")
    let delta = local.edit(at: clock.now(wallMilliseconds: wall)) { $0 = "later" }
    #expect(local.value == "later")
    var copy = remote
    #expect(try copy.apply(delta))
    #expect(copy == local)
  }

  @Test("a tie whose values somebody chose to have one fingerprint is no tie for deltas")
  func chosenTies() throws {
    let text = "Pay 10 EUR to Ann, account 0000 0000 0001."
    var random = SeededGenerator(seed: 4)
    let other = try #require(
      ChosenCollision.find(text, beginning: "Pay 9,999 EUR, ref ", using: &random))
    #expect(text != other && text._fingerprint == other._fingerprint)
    let same = stamp(1, phone)
    var (left, right) = (LWWRegister(text, at: same), LWWRegister(other, at: same))
    #expect(left.version != right.version && left.hashValue != right.hashValue)
    let (toRight, toLeft) = (
      left.delta(since: right.version), right.delta(since: left.version)
    )
    #expect(!toRight.isEmpty && !toLeft.isEmpty)
    try right.apply(decoding: toRight.encoded())
    try left.apply(decoding: toLeft.encoded())
    #expect(left == right && left.version == right.version)
    #expect(left.delta(since: right.version).isEmpty)
    // What was written before version 2 of the format says nothing of the value.
    var bytes = right.version.encoded()
    bytes[2] = 1
    bytes.removeLast(12)
    let checksum = bytes.withUnsafeBytes { CRC32C.checksum($0) }
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    let older = try LWWRegister<String>.Version(decoding: bytes)
    #expect(older.timestamp == same && !left.delta(since: older).isEmpty)
  }

  @Test("a delta is empty for one who has the write, and still goes over the wire")
  func emptyDelta() throws {
    var register = LWWRegister(5, at: stamp(1, phone))
    let empty = register.delta(since: register.version)
    #expect(empty.isEmpty)
    let before = register
    #expect(try !register.apply(decoding: empty.encoded()))
    #expect(register == before)
    register.set(6, at: stamp(2, phone))
    #expect(register.delta(since: before.version).isEmpty == false)
    #expect(before.delta(since: register.version).isEmpty)
    let version = register.version
    #expect(try LWWRegister<Int>.Version(decoding: version.encoded()) == version)
  }

  @Test("an edit that throws, or that comes too late, changes nothing")
  func edits() {
    struct Refusal: Error {}
    var register = LWWRegister([1], at: stamp(5, phone))
    let before = register
    #expect(throws: Refusal.self) {
      try register.edit(at: stamp(6, phone)) { value throws(Refusal) in
        value.append(2)
        throw Refusal()
      }
    }
    #expect(register == before)
    let late = register.edit(at: stamp(4, phone)) { $0.append(2) }
    #expect(late.isEmpty && register == before)
    let delta = register.edit(at: stamp(6, phone)) { $0.append(2) }
    #expect(!delta.isEmpty && register.value == [1, 2])
  }

  @Test("copies agree with a model after lost, repeated and reordered deltas")
  func schedules() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...6, using: &random)
      let first = LWWRegister(0, at: stamp(0, ReplicaID(0)))
      var copies = Array(repeating: first, count: count)
      var model = (stamp: first.timestamp, value: 0)
      var sent: [[UInt8]] = []
      for step in 1...60 {
        let place = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let time = HybridTimestamp(
            milliseconds: UInt64.random(in: 1...20, using: &random),
            logical: UInt16(step), replica: ReplicaID(UInt64(place)))
          if time > model.stamp { model = (time, step) }
          let wins = time > copies[place].timestamp
          let isChange = copies[place].set(step, at: time)
          #expect(isChange == wins, "seed \(seed)")
        case 1:
          let other = copies[Int.random(in: 0..<count, using: &random)]
          sent.append(copies[place].delta(since: other.version).encoded())
        case 2:
          if let delta = sent.randomElement(using: &random) {
            try copies[place].apply(decoding: delta)
          }
        default:
          let other = copies[Int.random(in: 0..<count, using: &random)]
          copies[place].merge(try LWWRegister(decoding: other.encoded()))
        }
      }
      let all = copies.reduce(first) { $0.merging($1) }
      #expect(all.value == model.value && all.timestamp == model.stamp, "seed \(seed)")
    }
  }
}
