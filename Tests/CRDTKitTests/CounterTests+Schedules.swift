import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

extension CounterTests {
  @Test("copies agree with a model after lost, repeated and reordered deltas")
  func schedules() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...6, using: &random)
      var copies = Array(repeating: PNCounter(), count: count)
      var sent: [[UInt8]] = []
      var model = 0
      for _ in 1...80 {
        let place = Int.random(in: 0..<count, using: &random)
        let other = copies[Int.random(in: 0..<count, using: &random)]
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          let up = UInt64.random(in: 0...9, using: &random)
          let down = UInt64.random(in: 0...9, using: &random)
          model += Int(up) - Int(down)
          let delta = try copies[place].edit(by: ReplicaID(UInt64(place))) {
            try $0.increment(up)
            try $0.decrement(down)
          }
          sent.append(delta.encoded())
        case 2:
          sent.append(copies[place].delta(since: other).encoded())
        case 3:
          if let delta = sent.randomElement(using: &random) {
            try copies[place].apply(decoding: delta)
          }
        default:
          try copies[place].merge(decoding: other.encoded())
        }
      }
      let all = copies.reduce(PNCounter()) { $0.merging($1) }
      #expect(all.value == model, "seed \(seed)")
    }
  }

  @Test("counters of as many replicas that differ in one, wherever it stands")
  func oneReplicaDiffers() {
    for place in 0..<70 as Range<UInt64> {
      let replicas = (0..<70 as Range<UInt64>).map { 2 * $0 }
      let left = GCounter().with(replicas.map { (ReplicaID($0), 1) })
      let right = GCounter().with(
        replicas.map { (ReplicaID($0 == 2 * place ? $0 + 1 : $0), 1) })
      #expect(left.merging(right).value == 71 && right.merging(left).value == 71)
      #expect(left.merging(left).value == 70)

      let few = GCounter().with([(ReplicaID(2 * place), 5), (ReplicaID(2 * place + 1), 1)])
      #expect(left.merging(few).value == 75 && few.merging(left).value == 75)
    }
  }

  @Test("bytes out of order, with idle replicas or with a number cut short are refused")
  func malformed() throws {
    let counter = PNCounter().with([(ReplicaID(1), 1, 0), (ReplicaID(2), 300, 2)])
    let body = bytes(of: counter)
    #expect(
      body == [2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xAC, 2, 2])
    let first = Array(body[1..<11])
    let second = Array(body[11...])
    #expect(throws: DecodingFailure(.notCanonical("the order of replicas"), at: 12)) {
      try decode(PNCounter.self, from: [2] + second + first)
    }
    #expect(throws: DecodingFailure(.notCanonical("the order of replicas"), at: 11)) {
      try decode(PNCounter.self, from: [2] + first + first)
    }
    #expect(throws: DecodingFailure(.notCanonical("a counter's total"), at: 9)) {
      try decode(PNCounter.self, from: [1] + first.dropLast(2) + [0, 0])
    }
    #expect(throws: DecodingFailure(.outOfBounds("the number of replicas"), at: 0)) {
      try decode(PNCounter.self, from: [0xFF, 0xFF, 0xFF, 0xFF, 0x7F] + first)
    }
    for length in body.indices {
      #expect(throws: DecodingFailure.self) {
        try decode(PNCounter.self, from: Array(body.prefix(length)))
      }
    }
  }
}

extension GCounter {
  /// A counter made as the bytes of a peer would make it.
  func with(_ totals: [(ReplicaID, UInt64)]) -> GCounter {
    totals.reduce(self) { counter, total in
      var copy = counter
      copy.edit(by: total.0) { try? $0.increment(total.1) }
      return copy
    }
  }
}

extension PNCounter {
  /// A counter of any totals, made of the deltas that would give them.
  func with(_ totals: [(ReplicaID, UInt64, UInt64)]) -> PNCounter {
    totals.reduce(self) { counter, total in
      var writer = ByteWriter()
      writer.write(varint: total.1 == 0 && total.2 == 0 ? 0 : 1)
      if total.1 != 0 || total.2 != 0 {
        total.0.encode(to: &writer)
        writer.write(varint: total.1)
        writer.write(varint: total.2)
      }
      let delta = try? decode(PNCounter.self, from: writer.finish())
      return counter.merging(delta ?? PNCounter())
    }
  }

  static func random(replicas: Int, using random: inout SeededGenerator) -> PNCounter {
    PNCounter().with(
      (0..<replicas).map { _ in
        (ReplicaID(random.next() % 80), random.next() % 10, random.next() % 3)
      }
    )
  }
}
