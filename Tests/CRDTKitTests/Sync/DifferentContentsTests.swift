import CRDTKit
import CRDTTestSupport
import Testing

/// Versions are equal, fingerprints too, and contents are not: digests tell, and what differs
/// is mended as forks are.
@Suite("Sync: different contents under equal versions")
struct DifferentContentsTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)

  @Test("a chosen collision of fingerprints is found by a session, of a set and a document")
  func sessions() throws {
    try play(#require(Collision<ORSet<String>>.find()))
    try play(#require(Collision<Document>.find()))
  }

  private func play<Value: SyncSample>(_ collision: Collision<Value>) throws {
    let fingerprints = [collision.left, collision.right].map {
      $0._table.columns.map(\.fingerprint)
    }
    #expect(fingerprints[0] == fingerprints[1] && collision.left != collision.right)
    for editCount in [0, 1, 20] {
      var (left, right) = (collision.left, collision.right)
      for number in 0..<editCount {
        left.change(4 * number, by: phone)
        right.change(4 * number + 1, by: laptop)
      }
      left = try Value(decoding: left.encoded())
      var wire = Wire(Peer(left, as: phone), Peer(right, as: laptop))
      wire.sync()
      #expect(wire.discrepancy() == nil)
      #expect(wire.left.value.forks + wire.right.value.forks != [])
      // What either of the two held is there, the one under another name.
      let dots = wire.left.value._table.dots()
      let shared = left._table.dots().filter { dot in
        right._table.row(at: dot).map { "\($0)" } == left._table.row(at: dot).map { "\($0)" }
      }
      #expect(
        dots.count == left._table.dots().count + right._table.dots().count - shared.count)
    }
  }

  @Test("a line gives way though its new name is known before", arguments: [false, true])
  func knownName(isOther: Bool) throws {
    let collision = try #require(Collision<ORSet<String>>.find())
    let mended = isOther ? collision.right : collision.left
    var late = isOther ? collision.left : collision.right
    var first = mended
    try first.apply(mending: late.delta(since: [:]))
    // What is new comes first, and what differs then.
    try late.apply(first.delta(since: late.version))
    try late.apply(mending: first.delta(since: [:]))
    #expect(late == first && late.contentDigest == first.contentDigest)
    #expect(late._table.rowCount == 2)
  }

  @Test("a mend that leaves the version as it was is told to a peer that was in sync")
  func mendedAtOneVersion() throws {
    let collision = try #require(Collision<ORSet<String>>.find())
    for (mended, other) in [
      (collision.left, collision.right), (collision.right, collision.left),
    ] {
      var (first, late) = (mended, other)
      try first.apply(mending: late.delta(since: [:]))
      try late.apply(first.delta(since: late.version))
      var wire = Wire(Peer(late, as: phone), Peer(late, as: laptop))
      wire.sync()
      #expect(wire.discrepancy() == nil)
      let version = wire.left.value.version
      wire.left.edit { value, _ in _ = try? value.apply(mending: first.delta(since: [:])) }
      #expect(wire.left.value.version == version && wire.left.value == first)
      wire.left.flush()
      #expect(late == first || !wire.left.isSynchronized)
      wire.run()
      #expect(wire.discrepancy() == nil && wire.right.value == first)
    }
  }

  @Test("peers of version 1 are told of no digests") func oldPeers() throws {
    let collision = try #require(Collision<ORSet<String>>.find())
    var side = Peer(collision.left, as: phone)
    side.connect()
    side.outbox = []
    var stream = ForgedStream()
    stream.hello(count: 1) { writer in
      writer.write(
        announced: doubleTongue, seen: 1,
        fingerprint: collision.left._table.columns[0].fingerprint)
    }
    side.receive(stream.drain())
    side.flush()
    #expect(side.failure == nil && side.isSynchronized && side.outbox.isEmpty)
  }

  @Test("a group finds it, wherever in it the two copies are") func groups() throws {
    let collision = try #require(Collision<ORSet<String>>.find())
    for (one, other) in [(0, 1), (0, 3), (2, 3)] {
      let links = (0..<4).flatMap { one in (one + 1..<4).map { [one, $0] } }
      var network = GroupNetwork<ORSet<String>>(sites: 4, links: links)
      network.sites[one].value = collision.left
      network.sites[other].value = collision.right
      for site in 0..<4 { network.sites[site].durable = network.sites[site].value }
      for link in links.indices { network.connect(link) }
      network.run(rounds: 12)
      #expect(network.discrepancy() == nil)
      #expect(network.sites.allSatisfy { $0.value._table.rowCount == 2 })
    }
  }

  @Test("each version is told once; then all is quiet") func quiet() {
    var wire = ORSet<String>.wire(shared: 5, left: 3, right: 3)
    wire.sync()
    #expect(wire.discrepancy() == nil)
    for _ in 0..<5 {
      wire.left.flush()
      wire.right.flush()
      #expect(wire.isQuiet)
    }
    wire.left.edit { $0.insert("one more", by: $1) }
    wire.left.flush()
    wire.run()
    #expect(wire.discrepancy() == nil && wire.isQuiet)
    var network = GroupNetwork<ORSet<String>>(sites: 3, links: [[0, 1], [1, 2], [0, 2]])
    for link in 0..<3 { network.connect(link) }
    for site in 0..<3 { network.edit(site, 4 * site) }
    network.run(rounds: 12)
    #expect(network.discrepancy() == nil && (network.frames[14] ?? 0) > 0)
    let before = network.frames
    network.run(rounds: 12)
    #expect(network.frames == before)
  }

  @Test("digests that can't be read end the exchange; those of other versions are passed over")
  func malformed() {
    for (body, kind) in [
      ([], SyncFailure.Kind.malformed), ([1] + Array(repeating: 0, count: 15), .malformed),
      ([0] + Array(repeating: 0, count: 17), .malformed),
    ] as [([UInt8], SyncFailure.Kind)] {
      var side = Peer(ORSet<String>(), as: phone)
      side.connect()
      var stream = ForgedStream()
      stream.hello(versions: [1, 2])
      stream.frame(14, body)
      side.receive(stream.drain())
      #expect(side.failure?.kind == kind)
    }
    var side = Peer(ORSet<String>(), as: phone)
    side.connect()
    var stream = ForgedStream()
    stream.hello(versions: [1, 2])
    for _ in 1...2 { stream.frame(14, [0] + Array(repeating: 0, count: 16)) }
    side.receive(stream.drain())
    #expect(side.failure == .differentContents, "said again when asked for all")
    side = Peer(ORSet<String>(), as: phone)
    side.connect()
    stream = ForgedStream()
    stream.hello(versions: [1, 2])
    stream.frame(14, [7] + Array(repeating: 0, count: 16))
    side.receive(stream.drain())
    #expect(side.failure == nil)
    stream = ForgedStream()
    side.connect()
    stream.hello()
    stream.frame(14, [0] + Array(repeating: 0, count: 16))
    side.receive(stream.drain())
    #expect(side.failure?.kind == .violation)
  }
}
