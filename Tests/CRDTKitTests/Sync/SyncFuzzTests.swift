import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Streams put together at random out of real ones, with checksums that fit.
@Suite("Peer session: forged streams")
struct SyncFuzzTests {
  private func frames(from wire: Wire<ORSet<String>>) throws -> [ForgedStream.Frame] {
    var wire = wire
    wire.connect()
    var sent: [UInt8] = wire.left.outbox
    while !wire.isQuiet {
      wire.deliverRight()
      let before = wire.left.outbox.count
      wire.deliverLeft()
      sent += wire.left.outbox.dropFirst(before)
    }
    return try ForgedStream.frames(of: sent)
  }

  @Test("frames changed, left out, doubled and swapped: nothing wrong is taken in")
  func frames() throws {
    let wire = ORSet<String>.wire(shared: 4, left: 5, right: 6)
    let honest = try frames(from: wire)
    let merged = wire.left.value.merging(wire.right.value)
    var learned = 0
    for seed in 0..<scheduleCount(1_500, long: 200_000) {
      var random = SeededGenerator(seed: seed)
      var stream = ForgedStream()
      for frame in spoiled(honest, using: &random) { stream.frame(frame.kind, frame.body) }
      var victim = wire.right
      victim.connect()
      var rest = stream.bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...200, using: &random)
        victim.receive(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
        victim.outbox = []
      }
      let bytes = victim.value.encoded()
      guard bytes == wire.right.value.encoded() || bytes == merged.encoded() else {
        Issue.record("seed \(seed): holds \(victim.value.version)")
        return
      }
      learned += victim.learnedCount
    }
    #expect(learned > 0)
  }

  private func spoiled(
    _ frames: [ForgedStream.Frame], using random: inout SeededGenerator
  ) -> [ForgedStream.Frame] {
    var frames = frames
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let place = Int.random(in: frames.indices, using: &random)
      let other = Int.random(in: frames.indices, using: &random)
      // What a parcel says is as good as what it could say otherwise: see below.
      let kinds = frames[place].kind == 9 ? 0..<3 : 0..<8
      switch Int.random(in: kinds, using: &random) {
      case 0: frames.insert(frames[place], at: other)
      case 1: frames.swapAt(place, other)
      case 2 where frames.count > 2: frames.remove(at: place)
      case 3: frames[place].kind = .random(in: 0...14, using: &random)
      case 4: frames[place].body.append(.random(in: 0...255, using: &random))
      case 5: _ = frames[place].body.popLast()
      default:
        guard let byte = frames[place].body.indices.randomElement(using: &random) else { continue }
        frames[place].body[byte] =
          [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
    }
    return frames
  }

  @Test("deltas changed at random, in transfers that fit: refused, or taken in whole")
  func deltas() {
    var value = ORSet<String>.apart(shared: 6, left: 0, right: 0).left
    let base = value
    for number in 0..<12 { value.change(number, by: ReplicaID(UInt64(1 + number % 3))) }
    let deltas = [value.delta(since: base.version), value.delta(since: [:])].map { $0.encoded() }
    var learned = 0
    for seed in 0..<scheduleCount(2_000, long: 200_000) {
      var random = SeededGenerator(seed: seed)
      var victim = Peer(base, as: ReplicaID(9))
      victim.connect()
      var stream = ForgedStream()
      stream.hello()
      stream.transfer(damaged(deltas[Int(seed % 2)], with: deltas, using: &random))
      victim.receive(stream.bytes)
      learned += victim.learnedCount
      victim.value._table.checkEveryInvariant()
      let isSame = victim.value.encoded() == base.encoded()
      if isSame != (victim.learnedCount == 0) || victim.durable != victim.value {
        Issue.record("seed \(seed): \(victim.learnedCount) learned, \(victim.value.version)")
        return
      }
    }
    #expect(learned > 20)
  }

  @Test("parcels changed at random, in frames that fit: refused, or taken in whole")
  func parcels() throws {
    let wire = ORSet<String>.wire(shared: 6, left: 7, right: 0, limits: .standard)
    let honest = try frames(from: wire)
    #expect(honest.map(\.kind) == [1, 9, 14])
    // What damages takes the last four bytes for a checksum.
    let bodies = [honest[1].body, [0, 7, 1] + Array(repeating: 0, count: 7) + [9, 1, 0x61]].map {
      $0 + [0, 0, 0, 0]
    }
    var learned = 0
    for seed in 0..<scheduleCount(4_000, long: 500_000) {
      var random = SeededGenerator(seed: seed)
      var victim = wire.right
      let before = victim.value.encoded()
      victim.connect()
      var stream = ForgedStream()
      stream.frame(1, honest[0].body)
      let body = damaged(bodies[Int(seed % 2)], with: bodies, using: &random).dropLast(4)
      stream.frame(9, Array(body))
      victim.receive(stream.bytes)
      learned += victim.learnedCount
      victim.value._table.checkEveryInvariant()
      let bytes = victim.value.encoded()
      let isSame = bytes == before
      let again = try? ORSet<String>(decoding: bytes)
      if isSame != (victim.learnedCount == 0) || again != victim.value
        || victim.durable != victim.value
      {
        Issue.record("seed \(seed): \(victim.learnedCount) learned, \(victim.value.version)")
        return
      }
    }
    #expect(learned > 100)
  }
}
