import CRDTKit
import CRDTTestSupport
import Testing

/// Names that are used twice, and copies that were restored.
@Suite("Peer session: who is who")
struct IdentityTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  @Test("a peer that hasn't heard of a fork removes the line that it knows, and no other")
  func removalAcrossLines() throws {
    for (mine, theirs) in [(1, 2), (2, 1)] as [(UInt32, UInt32)] {
      var (here, other) = (ORSet<String>(), ORSet<String>())
      here.beginStretch(of: ReplicaID(3), nonce: mine)
      here.insert("one", by: ReplicaID(3))
      other.beginStretch(of: ReplicaID(3), nonce: theirs)
      other.insert("two", by: ReplicaID(3))
      other.insert("stays", by: ReplicaID(4))
      var wire = Wire(Peer(other, as: ReplicaID(5)), Peer(other, as: ReplicaID(4)))
      wire.sync()
      // By way of somebody else.
      wire.left.value.merge(here)
      wire.right.value.remove("two", by: ReplicaID(4))
      (wire.left.durable, wire.right.durable) = (wire.left.value, wire.right.value)
      wire.sync()
      #expect(wire.discrepancy() == nil, "\(mine)")
      #expect(Set(wire.left.value) == ["one", "stays"], "\(mine)")
      wire.left.value.remove("one", by: ReplicaID(5))
      wire.left.durable = wire.left.value
      wire.sync()
      #expect(wire.discrepancy() == nil && Set(wire.right.value) == ["stays"], "\(mine)")
    }
  }

  @Test("a fork that is noticed again and again, as in a relay's folder, is told once")
  func noticedAgain() {
    var value = ORSet<String>()
    value.insert("one", by: phone)
    var wire = Wire(Peer(value, as: ReplicaID(5)), Peer(value, as: laptop))
    wire.sync()
    wire.left.value.noteFork(of: phone)
    wire.left.durable = wire.left.value
    wire.left.flush()
    wire.run()
    #expect(wire.discrepancy(from: value) == nil)
    let sent = wire.left.sentCount
    for _ in 0..<3 {
      wire.left.value.noteFork(of: phone)
      wire.left.flush()
      wire.run()
    }
    #expect(wire.left.sentCount == sent && wire.discrepancy(from: value) == nil)
  }

  @Test("a restored backup finds out, gets its events back and goes on under a new name")
  func restoredBackup() {
    var value: ORSet<String> = ORSet()
    for number in 0..<10 { value.insert("\(number)", by: phone) }
    let backup = value
    for number in 10..<20 { value.insert("\(number)", by: phone) }
    var wire = Wire(
      Peer(backup, as: phone, limits: tightLimits), Peer(value, as: laptop, limits: tightLimits))
    wire.sync()
    #expect(wire.left.replicaRequests == 1 && wire.right.replicaRequests == 0)
    #expect(wire.discrepancy(from: value) == nil)
    #expect(wire.left.replica != phone)

    wire.left.edit { $0.insert("after", by: $1) }
    wire.left.flush()
    wire.run()
    #expect(wire.discrepancy() == nil)
    #expect(wire.right.value.contains("after"))
    wire.cut()
    wire.sync()
    #expect(wire.right.session.peerReplica == wire.left.replica)
    #expect(wire.left.replicaRequests == 1)
    #expect(wire.discrepancy() == nil)
  }

  @Test("a backup hears of its lost events from a peer that learned them meanwhile")
  func restoredBackupByHearsay() {
    var value: ORSet<String> = ORSet()
    value.insert("kept", by: phone)
    let backup = value
    value.insert("lost", by: phone)
    var wire = Wire(Peer(backup, as: phone), Peer(backup, as: laptop))
    wire.sync()
    #expect(wire.left.replicaRequests == 0)
    wire.right.value.merge(value)
    wire.right.durable.merge(value)
    wire.right.flush()
    wire.run()
    #expect(wire.left.replicaRequests == 1)
    #expect(wire.discrepancy(from: value) == nil)
  }

  @Test("one replica on both sides: both are asked for a new one, and go on")
  func sameReplica() {
    var wire = ORSet<String>.wire()
    wire.left.edit { $0.insert("left", by: $1) }
    wire.right.replica = wire.left.replica
    wire.right.session.replica = wire.left.replica
    wire.right.edit { $0.insert("right", by: $1) }
    wire.sync()
    #expect(wire.left.replicaRequests == 1 && wire.right.replicaRequests == 1)
    #expect(wire.discrepancy() == nil)
    #expect(Set(wire.left.value).isSuperset(of: ["left", "right"]))
  }

  @Test("a fork is seen by the fingerprints, and mended: nothing is lost")
  func forks() {
    for (lost, written) in [(1, 1), (5, 5), (5, 1), (1, 5), (40, 41)] {
      var one: ORSet<String> = ORSet()
      for number in 0..<3 { one.insert("\(number)", by: phone) }
      var other = one
      for number in 0..<lost { one.insert("lost \(number)", by: phone) }
      for number in 0..<written { other.insert("written \(number)", by: phone) }
      one.insert("here", by: laptop)
      var wire = Wire(Peer(one, as: laptop), Peer(other, as: ReplicaID(3)))
      wire.sync()
      #expect(wire.discrepancy() == nil)
      #expect(wire.left.value.count == 4 + lost + written)
      // One side notices; to the other, events came under a name that it hadn't heard.
      #expect(Set(wire.left.value.forks + wire.right.value.forks) == [phone])
    }
  }

  @Test("two that write under one name while both are connected: parcels show it")
  func forksUnderWay() {
    for (one, other) in [(1, 1), (1, 2), (2, 1), (2, 5), (5, 2)] {
      var hub: ORSet<String> = ORSet()
      hub.insert("before", by: phone)
      // Both write as the phone to a laptop that lies between.
      var wires = [0, 1].map { _ in Wire(Peer(hub, as: phone), Peer(hub, as: laptop)) }
      for place in 0..<2 { wires[place].sync() }
      for number in 0..<one { wires[0].left.edit { $0.insert("one \(number)", by: $1) } }
      for number in 0..<other { wires[1].left.edit { $0.insert("other \(number)", by: $1) } }
      for place in 0..<2 {
        wires[place].right.value = hub
        wires[place].left.flush()
        wires[place].run()
        hub = wires[place].right.value
      }
      let written = (0..<one).map { "one \($0)" } + (0..<other).map { "other \($0)" }
      #expect(Set(hub) == Set(["before"] + written))
      #expect(Set(hub.forks + wires[1].left.value.forks) == [phone])
      #expect(hub == wires[1].left.value, "\(one) and \(other) events")
    }
  }

  @Test("values of other types are refused, and both sides know why") func types() {
    var left = ORSet<String>.wire().left
    var right = TextRegisters.wire().right
    left.connect()
    right.connect()
    let expected = SyncFailure.typeMismatch(
      found: TextRegisters.typeCode, expected: ORSet<String>.typeCode)
    left.receive(right.outbox)
    #expect(left.failure == expected)
    right.receive(left.outbox)
    #expect(right.failure?.kind == .typeMismatch)
  }
}
