import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Streams that change, lose, repeat or reorder what they carry.
@Suite("Peer session: damaged streams")
struct DamageTests {
  /// Plays an exchange with a damaged stream; then another, over a good one.
  private struct Play<Value: SyncSample> {
    var wire = Value.wire(shared: 3, left: 3, right: 2)
    let originals: [[UInt8]]
    let merged: Value

    init() {
      merged = wire.left.value.merging(wire.right.value)
      originals = [wire.left.value.encoded(), wire.right.value.encoded()]
    }

    /// What is wrong, if either side holds anything else than before or after.
    var wrongContent: String? {
      for (value, original) in zip([wire.left.value, wire.right.value], originals) {
        let bytes = value.encoded()
        if bytes != original, bytes != merged.encoded() { return "holds \(value.version)" }
      }
      return nil
    }

    mutating func recover() -> String? {
      if let wrongContent { return wrongContent }
      wire.left.tamper = nil
      wire.right.tamper = nil
      wire.cut()
      wire.sync()
      return wire.discrepancy(from: merged)
    }
  }

  @Test("every bit that flips is noticed at once; reconnecting converges") func everyBit() {
    everyBit(of: ORSet<String>.self)
    everyBit(of: TextRegisters.self, step: isLongRun ? 1 : 7)
    everyBit(of: Document.self, step: isLongRun ? 1 : 17)
  }

  private func everyBit<Value: SyncSample>(of _: Value.Type, step: Int = 1) {
    var whole = Play<Value>()
    whole.wire.sync()
    for bit in stride(from: 0, to: 8 * whole.wire.left.sentCount, by: step) {
      var play = Play<Value>()
      play.wire.left.tamper = { bytes, offset in
        let place = bit / 8 - offset
        if bytes.indices.contains(place) { bytes[place] ^= 1 << UInt8(bit % 8) }
      }
      play.wire.sync()
      guard let failure = play.wire.right.failure else {
        Issue.record("\(Value.self): nobody noticed that bit \(bit) flipped")
        return
      }
      let isNamed = [.damaged, .notAPeer].contains(failure.kind)
      if !isNamed || play.wire.left.failure != .endedByPeer(failure.kind) {
        Issue.record("\(Value.self), bit \(bit): \(failure), \(play.wire.left.failure as Any)")
        return
      }
      if let wrong = play.recover() {
        Issue.record("\(Value.self), bit \(bit): \(wrong)")
        return
      }
    }
  }

  @Test("pieces that are lost, repeated, swapped or cut short: refused or harmless")
  func pieces() {
    pieces(of: ORSet<String>.self)
    pieces(of: TextRegisters.self)
    pieces(of: Document.self)
    pieces(of: ReplicatedText.self)
    pieces(of: ListOfTexts.self)
  }

  private func pieces<Value: SyncSample>(of _: Value.Type) {
    var closed = 0
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var play = Play<Value>()
      play.wire.connect()
      var rounds = 0
      while !play.wire.isQuiet, rounds < 100 {
        for isRight in [true, false] {
          let outbox = isRight ? play.wire.left.outbox : play.wire.right.outbox
          let bytes = spoiled(outbox, using: &random)
          if isRight { play.wire.left.outbox = bytes } else { play.wire.right.outbox = bytes }
          if isRight { play.wire.deliverRight() } else { play.wire.deliverLeft() }
        }
        rounds += 1
      }
      closed += play.wire.left.failure != nil || play.wire.right.failure != nil ? 1 : 0
      if let wrong = play.recover() {
        Issue.record("\(Value.self), seed \(seed): \(wrong)")
        return
      }
    }
    #expect(closed > 100)
  }

  private func spoiled(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    guard bytes.count > 2 else { return bytes }
    let cuts = (0..<2).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
    let (first, second) = (bytes[..<cuts[0]], bytes[cuts[0]..<cuts[1]])
    let third = bytes[cuts[1]...]
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: Array(first + second + second + third)
    case 1: Array(first + third + second)
    case 2: Array(first + third)
    case 3: Array(first + second)
    case 4: bytes + bytes
    default: bytes
    }
  }

  @Test("whole frames that are lost, repeated or swapped don't fit") func wholeFrames() throws {
    var wire = ORSet<String>.wire(left: 40)
    wire.connect()
    wire.deliverLeft()
    let frames = try ForgedStream.frames(of: wire.left.outbox).map { $0.whole }
    #expect(frames.count > 3)
    for order in [[0, 0], [0, 2], [0, 2, 1], [0, 1, 1], [0, 1, 3], [0, 1, 2, 2]] {
      var victim = ORSet<String>.wire().right
      victim.connect()
      victim.receive(order.flatMap { frames[$0] })
      #expect(victim.failure == .damaged, "frames \(order)")
    }
  }
}
