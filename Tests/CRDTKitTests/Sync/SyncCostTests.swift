import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// How much goes over the wire.
@Suite("Peer session: cost")
struct SyncCostTests {
  /// A value with ten replicas of about a million events, of which some rows live.
  private func large<Value: TableBacked>(
    _: Value.Type, rows: Int, events: UInt64 = 1_000_000
  ) throws -> Value {
    var random = SeededGenerator(seed: 5)
    let names = (0..<10).map { _ in ReplicaID.random(using: &random) }.sorted()
    return try Value(
      decoding: forged(Value.typeCode) { writer in
        writer.write(varint: UInt64(names.count))
        for (place, name) in names.enumerated() {
          let fingerprint = UInt32(truncatingIfNeeded: random.next())
          writer.write(head: name, seen: events + UInt64(place), fingerprint: fingerprint)
        }
        for _ in names {
          writer.write(runs: rows > 0 ? [1...UInt64(rows)] : [])
          // The text "a", then each text shares all of it.
          for row in 0..<rows { writer.write(row == 0 ? [0x01, 0x61] : [0x10]) }
        }
      })
  }

  @Test("two equal values: at most 240 bytes a side, whatever their size") func equal() throws {
    var costs: Set<Int> = []
    for rows in [0, 1, 1_000] {
      let set = try large(ORSet<String>.self, rows: rows)
      var wire = Wire(Peer(set, as: ReplicaID(1)), Peer(set, as: ReplicaID(2)))
      wire.sync()
      #expect(wire.discrepancy(from: set) == nil)
      #expect(wire.left.sentCount == wire.right.sentCount)
      costs.insert(wire.left.sentCount)
    }
    let map = try large(TextRegisters.self, rows: 0)
    var wire = Wire(Peer(map, as: ReplicaID(1)), Peer(map, as: ReplicaID(2)))
    wire.sync()
    #expect(wire.discrepancy(from: map) == nil)
    #expect(wire.left.sentCount <= 240)
    #expect(costs.count == 1 && (costs.first ?? .max) <= 240, "\(costs)")
  }

  @Test("one edit among many events costs little more than its delta") func oneEdit() throws {
    let set = try large(ORSet<String>.self, rows: 100)
    var wire = Wire(Peer(set, as: ReplicaID(1)), Peer(set, as: ReplicaID(2)))
    wire.sync()
    let before = wire.left.sentCount + wire.right.sentCount
    wire.left.edit { $0.insert("bread", by: $1) }
    let delta = wire.left.value.delta(since: set.version).encoded().count
    wire.left.flush()
    wire.run()
    #expect(wire.discrepancy() == nil)
    let cost = wire.left.sentCount + wire.right.sentCount - before
    // What both sides hold is compared afterwards.
    #expect(cost < delta + 60 + 2 * 30, "\(cost) for a delta of \(delta)")
  }

  @Test("a call never sends more than a window, and a frame never more than its limit")
  func windows() throws {
    var one: ORSet<String> = ORSet()
    for number in 0..<3_000 { one.insert("\(number * 7_919) is an element", by: ReplicaID(1)) }
    for (frame, window) in [(64, 500), (1_000, 4_000), (65_536, 1_000), (100, 1)] {
      // A window of one byte takes a frame for each byte.
      let value = window == 1 ? ORSet<String>.apart(shared: 9, left: 0, right: 0).left : one
      let limits = SyncLimits(maximumFrameBytes: frame, windowBytes: window)
      var wire = Wire(
        Peer(value, as: ReplicaID(1)), Peer(ORSet<String>(), as: ReplicaID(2), limits: limits))
      wire.connect()
      wire.left.sentMax = 0
      wire.run()
      #expect(wire.discrepancy(from: value) == nil)
      // Each frame is wrapped in nine bytes; the offer comes on top.
      #expect(wire.left.sentMax <= window + 9 * (window / frame + 2) + 20, "\(frame), \(window)")
      #expect(wire.right.sentCount < wire.left.sentCount * 2 + 100)
    }
  }

  @Test("no echo: what one side sent is not sent back") func echoes() {
    var wire = ORSet<String>.wire(shared: 0, left: 40, right: 0)
    wire.sync()
    #expect(wire.discrepancy() == nil)
    #expect(wire.left.learnedCount == 0)
    // A hello, an acknowledgement, a digest, and a word on progress for each half window.
    #expect(wire.right.sentCount < 40 + 17 + 30 + wire.left.sentCount / 48 * 11)
    wire.right.flush()
    #expect(wire.isQuiet)
  }

  @Test("a version of many replicas is split over frames") func manyReplicas() {
    var value: ORSet<String> = ORSet()
    for name in 1...90 { value.insert("\(name)", by: ReplicaID(UInt64(name))) }
    let limits = SyncLimits(maximumFrameBytes: 64, maximumReplicas: 90)
    var wire = Wire(
      Peer(value, as: ReplicaID(1), limits: limits),
      Peer(ORSet<String>(), as: ReplicaID(2), limits: limits))
    wire.connect()
    #expect((try? ForgedStream.frames(of: wire.left.outbox).count) ?? 0 > 20)
    wire.run(chunk: 10)
    #expect(wire.discrepancy(from: value) == nil)
    wire.cut()
    wire.left.edit { set, _ in set.insert("one more", by: ReplicaID(91)) }
    wire.left.connect()
    #expect(wire.left.failure == .tooManyReplicas(91, max: 90))
    #expect(!wire.left.session.isConnected)
  }

  @Test("a transfer of megabytes goes in frames and windows") func megabytes() {
    var value: ORSet<String> = ORSet()
    for number in 0..<40 {
      value.insert("\(number)" + String(repeating: "text ", count: 14_000), by: ReplicaID(1))
    }
    var wire = Wire(Peer(value, as: ReplicaID(1)), Peer(ORSet<String>(), as: ReplicaID(2)))
    wire.sync()
    #expect(wire.discrepancy(from: value) == nil)
    #expect(wire.left.sentCount > 2_700_000)
    #expect(wire.left.sentMax <= 1 << 20 + 200)
    #expect(wire.right.sentCount < 300)
  }
}
