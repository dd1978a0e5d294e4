import CRDTKit
import CRDTTestSupport
import Testing

/// What a session asks for, and what it says of where things stand.
@Suite("Peer session: conduct")
struct SessionTests {
  @Test("edits on both sides while transfers are under way: round after round") func rounds() {
    for chunk in [5, 50, 400] {
      var wire = ORSet<String>.wire(shared: 3, left: 9, right: 9)
      wire.connect()
      for number in 0..<60 {
        wire.run(chunk: chunk, budget: chunk)
        wire.left.edit { $0.change(2 * number, by: $1) }
        wire.right.edit { $0.change(2 * number + 1, by: $1) }
        wire.left.flush()
        if number % 3 == 0 { wire.right.flush() }
      }
      wire.right.flush()
      let expected = wire.left.value.merging(wire.right.value)
      wire.run(chunk: chunk)
      #expect(wire.discrepancy(from: expected) == nil, "pieces of \(chunk)")
      #expect(wire.left.learnedCount > 1)
    }
  }

  @Test("an edit during a transfer follows when the transfer is acknowledged")
  func editMeanwhile() {
    var wire = ORSet<String>.wire(shared: 3, left: 9, right: 0)
    wire.connect()
    wire.deliverLeft()
    wire.left.edit { $0.insert("meanwhile", by: $1) }
    wire.run()
    #expect(wire.discrepancy(from: wire.left.value) == nil)
    #expect(wire.right.learnedCount == 2)
    wire.left.edit { $0.insert("afterwards", by: $1) }
    wire.left.receive([])
    #expect(wire.isQuiet, "at rest, it takes a flush")
  }

  @Test("what one peer taught is passed on to another when it is flushed") func passingOn() {
    var network = SyncNetwork<TextRegisters>(sites: 3, seed: 1)
    network.canCrash = false
    // Links are 0-1, 0-2 and 1-2; the last stays down.
    for link in 0..<2 { network.connect(link) }
    func exchange() {
      for _ in 0..<20 {
        for link in 0..<2 { for end in 0..<2 { network.deliver(.max, to: end, of: link) } }
      }
    }
    exchange()
    network.sites[1].value.change(1, by: network.sites[1].replica)
    network.flush(1)
    exchange()
    #expect(network.sites[0].value == network.sites[1].value)
    #expect(network.sites[2].value.isEmpty)
    #expect(!network.links[1].sessions[0].isSynchronized(network.sites[0].value))
    network.flush(0)
    exchange()
    #expect(network.sites[2].value == network.sites[1].value)
    #expect(network.links[1].sessions[0].isSynchronized(network.sites[0].value))
    #expect(network.failures.isEmpty)
  }

  @Test("what was learned is reported before it is acknowledged") func order() throws {
    var wire = ORSet<String>.wire()
    wire.connect()
    var learned = 0
    while !wire.isQuiet {
      wire.deliverRight()
      let bytes = wire.right.outbox
      wire.right.outbox = []
      let actions = wire.left.session.receive(bytes, into: &wire.left.value)
      for action in actions {
        switch action {
        case .learned: learned += 1
        case .send(let bytes):
          let kinds = try ForgedStream.frames(of: bytes).map(\.kind)
          #expect(kinds.count == 1 && (![[7], [10]].contains(kinds) || learned == 1))
          wire.left.outbox += bytes
        default: Issue.record("\(action)")
        }
      }
    }
    #expect(learned == 1 && wire.left.isSynchronized)
  }

  @Test("what was learned fits only copies that have seen all that it may build on")
  func learnedBase() throws {
    let (first, second) = (ReplicaID(1), ReplicaID(2))
    var (maker, other) = (ORSet<String>(), ORSet<String>())
    maker.insert("x", by: first)
    let third = maker
    other.insert("y", by: second)
    maker.merge(other)
    var sessions = (
      left: PeerSession<ORSet<String>>(replica: first),
      right: PeerSession<ORSet<String>>(replica: second)
    )
    var (toRight, toLeft) = (sessions.left.connect(maker), sessions.right.connect(other))
    var learned: [TableDelta<ORSet<String>>] = []
    for round in 0..<8 {
      // What is removed was made by the other, who sends what it builds on itself.
      if round == 4 {
        maker.remove("y", by: first)
        toRight += sessions.left.flush(maker)
      }
      var next: [PeerSession<ORSet<String>>.Action] = []
      for case .send(let bytes) in toLeft { next += sessions.left.receive(bytes, into: &maker) }
      toLeft = []
      for action in toRight {
        guard case .send(let bytes) = action else { continue }
        for answer in sessions.right.receive(bytes, into: &other) {
          if case .learned(let delta) = answer {
            learned.append(delta)
          } else {
            toLeft.append(answer)
          }
        }
      }
      toRight = next
    }
    let last = try #require(learned.last)
    var copy = third
    #expect(throws: DeltaError.gap(missing: [second: 1])) { try copy.apply(last) }
    #expect(copy == third && learned.count == 2)
  }

  private struct Distrust: Error, CustomStringConvertible {
    let description = "its clock is a year ahead"
  }

  @Test("a delta that the app does not accept is not taken in; it may be later") func refusing() {
    var wire = ORSet<String>.wire()
    let original = wire.left.value
    wire.connect()
    var asked = 0
    while !wire.isQuiet {
      wire.deliverRight()
      let bytes = wire.right.outbox
      wire.right.outbox = []
      let actions = wire.left.session.receive(bytes, into: &wire.left.value) { delta in
        asked += 1
        #expect(!delta.isEmpty)
        throw Distrust()
      }
      wire.left.perform(actions)
    }
    #expect(asked == 1)
    #expect(wire.left.failure == .refused("its clock is a year ahead"))
    #expect(wire.right.failure == .endedByPeer(.refused))
    #expect(wire.left.value.encoded() == original.encoded() && wire.left.learnedCount == 0)
    #expect(wire.left.failure?.description.contains("a year ahead") == true)
    wire.sync()
    #expect(wire.discrepancy() == nil)
  }

  @Test("a value that was swapped for an older one while connected: asked for anew")
  func swappedValue() {
    var wire = ORSet<String>.wire(shared: 9, left: 0, right: 3)
    wire.sync()
    #expect(wire.discrepancy() == nil)
    let expected = wire.left.value
    wire.left.value = ORSet<String>.apart(shared: 2, left: 0, right: 0).left
    wire.left.durable = wire.left.value
    wire.right.edit { $0.insert("new", by: $1) }
    wire.right.flush()
    wire.run()
    #expect(wire.left.failure == nil && wire.right.failure == nil)
    #expect(wire.left.value == wire.right.value)
    #expect(wire.left.value.count > expected.count)
    // A second time is once too often for one stream.
    wire.left.value = ORSet()
    wire.right.edit { $0.insert("newer", by: $1) }
    wire.right.flush()
    wire.run()
    #expect(wire.left.failure?.kind == .gap)
    wire.left.durable = wire.left.value
    wire.sync()
    #expect(wire.discrepancy(from: wire.right.value) == nil)
  }

  @Test("without a stream nothing is sent and nothing taken in") func withoutStream() {
    var wire = ORSet<String>.wire()
    #expect(wire.left.session.flush(wire.left.value).isEmpty)
    #expect(!wire.left.isSynchronized && !wire.left.session.isConnected)
    wire.right.connect()
    wire.left.receive(wire.right.outbox)
    #expect(wire.left.outbox.isEmpty && wire.left.failure == nil)
    wire.left.connect()
    wire.left.flush()
    let hello = wire.left.outbox
    wire.left.connect()
    #expect(wire.left.outbox == hello, "connecting again begins again")
    wire.run()
    #expect(wire.discrepancy() == nil)
    wire.cut()
    #expect(!wire.left.isSynchronized && !wire.left.session.isConnected)
    #expect(wire.left.session.peerVersion == wire.right.value.version)
  }

  @Test("the peer counts as having what it said, sent or acknowledged, no more")
  func peerVersion() {
    var wire = ORSet<String>.wire(shared: 3, left: 4, right: 5)
    let (left, right) = (wire.left.value.version, wire.right.value.version)
    #expect(wire.left.session.peerVersion.isEmpty)
    wire.connect()
    while wire.left.session.peerVersion.isEmpty, !wire.right.outbox.isEmpty {
      wire.deliverLeft(1)
    }
    #expect(wire.left.session.peerVersion == right)
    #expect(wire.left.session.peerReplica == wire.right.replica)
    var seen: Set<VersionVector> = []
    while !wire.isQuiet {
      wire.run(chunk: 1, budget: 1)
      seen.insert(wire.left.session.peerVersion)
    }
    #expect(seen == [right, right.merging(left)])
    #expect(wire.left.isSynchronized)
    wire.left.edit { $0.insert("more", by: $1) }
    #expect(!wire.left.isSynchronized && wire.right.isSynchronized)
  }
}
