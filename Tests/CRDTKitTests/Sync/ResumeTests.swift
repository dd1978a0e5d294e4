import CRDTKit
import CRDTTestSupport
import Testing

/// Streams that break at any byte.
@Suite("Peer session: broken streams")
struct ResumeTests {
  /// What is done between the breaking of a stream and the next.
  enum Interlude: CaseIterable {
    case nothing, editLeft, editBoth, leftStartsOver, rightStartsOver, bothStartOver
    case rightGetsOlder
  }

  private func play<Value: SyncSample>(
    _ interlude: Interlude, breakAt position: Int, of _: Value.Type
  ) -> Wire<Value> {
    var wire = Value.wire(shared: 4, left: 6, right: 5)
    let older = wire.right.value
    wire.connect()
    wire.run(chunk: 37, budget: position)
    wire.cut()
    switch interlude {
    case .nothing: break
    case .editLeft: wire.left.edit { $0.change(301, by: $1) }
    case .editBoth:
      wire.left.edit { $0.change(302, by: $1) }
      wire.right.edit { $0.change(304, by: $1) }
    case .leftStartsOver: wire.left.crash(limits: tightLimits)
    case .rightStartsOver: wire.right.crash(limits: tightLimits)
    case .bothStartOver:
      wire.left.crash(limits: tightLimits)
      wire.right.crash(limits: tightLimits)
    case .rightGetsOlder:
      wire.right.value = older
      wire.right.durable = older
    }
    return wire
  }

  private func everyByte<Value: SyncSample>(of _: Value.Type, _ interlude: Interlude) {
    var whole = Value.wire(shared: 4, left: 6, right: 5)
    whole.connect()
    let length = whole.run(chunk: 37)
    #expect(length > 250)
    for position in stride(from: 0, through: length, by: playsAll ? 1 : 5) {
      var wire = play(interlude, breakAt: position, of: Value.self)
      let expected = wire.left.value.merging(wire.right.value)
      wire.sync()
      if let wrong = wire.discrepancy(from: expected) {
        Issue.record("\(Value.self), \(interlude), broken at byte \(position): \(wrong)")
        return
      }
    }
  }

  @Test("broken at every byte, and at once again: they converge", arguments: Interlude.allCases)
  func everyByte(_ interlude: Interlude) {
    everyByte(of: ORSet<String>.self, interlude)
    everyByte(of: TextRegisters.self, interlude)
    everyByte(of: Document.self, interlude)
    everyByte(of: ReplicatedText.self, interlude)
    everyByte(of: ListOfTexts.self, interlude)
  }

  @Test("broken after every few bytes for ever: they get there, sending nothing twice")
  func fewBytesAStream() {
    var (one, other) = ORSet<String>.apart(shared: 3, left: 0, right: 0)
    for number in 0..<400 { one.insert("\(number * 7_919) is an element", by: ReplicaID(1)) }
    let delta = one.delta(since: other.version).encoded().count
    var wire = Wire(
      Peer(one, as: ReplicaID(1), limits: tightLimits),
      Peer(other, as: ReplicaID(2), limits: tightLimits))
    other.merge(one)
    var streams = 0
    while !wire.isConverged, streams < 1_000 {
      wire.connect()
      // The hellos take 200 bytes of these.
      wire.run(chunk: 11, budget: 420)
      if wire.isConverged || wire.left.failure != nil || wire.right.failure != nil { break }
      wire.cut()
      streams += 1
    }
    #expect(wire.discrepancy(from: other) == nil)
    #expect(delta > 2_000 && streams > 10)
    // Each stream loses what was under way: at most a window and what it is wrapped in.
    #expect(wire.left.sentCount < 2 * delta + streams * 300)
    #expect(streams < delta / 60)
  }

  @Test("a sender that was started over goes on with the same bytes") func resumedByContent() {
    var (one, other) = ORSet<String>.apart(shared: 3, left: 0, right: 0)
    for number in 0..<400 { one.insert("\(number * 7_919) is an element", by: ReplicaID(1)) }
    var wire = Wire(Peer(one, as: ReplicaID(1)), Peer(other, as: ReplicaID(2)))
    wire.connect()
    let greeting = wire.left.outbox.count
    wire.run(budget: 2 * greeting)
    let transfer = wire.left.outbox.count
    // All but a little has come when the stream breaks.
    wire = Wire(
      Peer(one, as: ReplicaID(1), limits: tightLimits),
      Peer(other, as: ReplicaID(2), limits: tightLimits))
    wire.connect()
    while wire.left.sentCount < transfer, !wire.isQuiet { wire.run(chunk: 1, budget: 1) }
    wire.cut()
    wire.left.crash(limits: tightLimits)
    // It knows what its events removed, as a store does: from bytes other deltas are made.
    wire.left.value = wire.left.durable
    wire.left.sentCount = 0
    wire.sync()
    other.merge(one)
    #expect(wire.discrepancy(from: other) == nil)
    #expect(wire.left.sentCount < transfer / 2)
  }

  /// A stream that broke when the right had part of what the left sends; gives all
  /// that the left knows.
  private func brokenHalfway() -> (wire: Wire<ORSet<String>>, all: ORSet<String>) {
    var wire = ORSet<String>.wire(shared: 9, left: 20, right: 0)
    wire.connect()
    wire.run(chunk: 1, budget: 300)
    wire.cut()
    return (wire, wire.left.value)
  }

  @Test("what had come in part is not gone on with if it no longer fits") func outdated() throws {
    var (wire, all) = brokenHalfway()
    wire.right.value = ORSet()
    wire.right.durable = ORSet()
    wire.connect()
    let hello = try ForgedStream.frames(of: wire.right.outbox)
    #expect(hello[0].body.suffix(2).first ?? 0 > 0, "it tells of a transfer in part")
    wire.deliverLeft()
    let afterHello = try ForgedStream.frames(of: wire.left.outbox).drop { $0.kind < 4 }
    #expect(afterHello.first?.kind == 4 && afterHello.first?.body.last == 0, "it begins anew")
    wire.run()
    #expect(wire.discrepancy(from: all) == nil)
    #expect(wire.left.failure == nil)

    (wire, all) = brokenHalfway()
    wire.right.value.merge(all)
    wire.right.durable.merge(all)
    wire.connect()
    wire.deliverLeft()
    let kinds = try ForgedStream.frames(of: wire.left.outbox).map(\.kind)
    #expect(Set(kinds).isSubset(of: [1, 2, 14]), "what came by other ways is not sent: \(kinds)")
    wire.run()
    #expect(wire.discrepancy(from: all) == nil)
  }
}
