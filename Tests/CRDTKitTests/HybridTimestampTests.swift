import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Hybrid timestamps")
struct HybridTimestampTests {
  @Test("order by time, then by replica, as their bytes do")
  func order() {
    let stamps: [HybridTimestamp] = [
      HybridTimestamp(milliseconds: 1, replica: ReplicaID(9)),
      HybridTimestamp(milliseconds: 1, logical: 1, replica: ReplicaID(1)),
      HybridTimestamp(milliseconds: 1, logical: 1, replica: ReplicaID(2)),
      HybridTimestamp(milliseconds: 2, replica: ReplicaID(0)),
      HybridTimestamp(time: .max, replica: ReplicaID(.max)),
    ]
    for (left, right) in zip(stamps, stamps.dropFirst()) {
      #expect(left < right && !(right < left))
      #expect(bytes(of: left).lexicographicallyPrecedes(bytes(of: right)))
      #expect(left._fingerprint != right._fingerprint)
    }
  }

  @Test("have a text form that reads back, and no other is read")
  func text() {
    let stamp = HybridTimestamp(
      milliseconds: HybridTimestamp.maximumMilliseconds, logical: .max, replica: ReplicaID(255))
    #expect(stamp.description == "281474976710655.65535@00000000000000ff")
    #expect(HybridTimestamp(stamp.description) == stamp)
    for text in [
      "", "@", ".@", "1.0", "1.0@ff", "1.65536@00000000000000ff", "01.0@00000000000000ff",
      "+1.0@00000000000000ff", "281474976710656.0@00000000000000ff", "1.0@00000000000000FF",
      "1.0.0@00000000000000ff", "1.0@00000000000000ff@", "-1.0@00000000000000ff",
    ] {
      #expect(HybridTimestamp(text) == nil, "\(text)")
    }
  }

  @Test("are short after a stamp near them, and read back after any")
  func columns() throws {
    let seed: UInt64 = 7
    var random = SeededGenerator(seed: seed)
    var previous: HybridTimestamp?
    for _ in 0..<1_000 {
      let time = Bool.random(using: &random) ? random.next() : random.next() % 8
      let stamp = HybridTimestamp(time: time, replica: ReplicaID(random.next() % 2))
      let written = bytes(of: stamp, after: previous)
      var reader = ByteReader(written)
      #expect(try HybridTimestamp(from: &reader, after: previous) == stamp, "seed \(seed)")
      #expect(reader.remaining == 0)
      previous = stamp
    }
    let early = HybridTimestamp(milliseconds: 1_000, replica: ReplicaID(1))
    let late = HybridTimestamp(milliseconds: 1_000, logical: 9, replica: ReplicaID(1))
    #expect(bytes(of: late, after: early) == [18, 0])
    var reader = ByteReader([18, 1] + bytes(of: ReplicaID(1)))
    #expect(throws: DecodingFailure(.notCanonical("the replica of a stamp"), at: 1)) {
      try HybridTimestamp(from: &reader, after: early)
    }
  }
}
