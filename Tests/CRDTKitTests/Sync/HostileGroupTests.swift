import CRDTKit
import CRDTTestSupport
import Testing

/// Peers of a group that keep to every frame's form, and want to keep it busy.
@Suite("Peer group: hostile peers")
struct HostileGroupTests {
  /// A group, and what it has sent to each peer.
  private struct Site {
    var value = ORSet<String>()
    var group: PeerGroup<ORSet<String>, Int>
    var sent: [Int: [UInt8]] = [:]
    var learned = 0
    var failures: [SyncFailure] = []

    init(_ replica: UInt64, limits: SyncLimits = .standard) {
      group = PeerGroup(replica: ReplicaID(replica), limits: limits)
    }

    mutating func perform(_ actions: [PeerGroup<ORSet<String>, Int>.Action]) {
      for action in actions {
        switch action {
        case .send(let bytes, let peer): sent[peer, default: []] += bytes
        case .learned: learned += 1
        case .takeNewReplica: break
        case .close(_, let failure): failures.append(failure)
        }
      }
    }

    /// Takes what a peer has sent since the last time.
    mutating func receive(_ stream: inout ForgedStream, from peer: Int) {
      perform(group.receive(stream.drain(), from: peer, into: &value))
    }

    mutating func flush() { perform(group.flush(value)) }

    /// A stream with a new peer, which tells its way to the root.
    mutating func meet(_ peer: Int, as replicas: [UInt64]) -> ForgedStream {
      perform(group.connect(value, to: peer))
      var stream = ForgedStream()
      stream.hello(versions: [1, 2], as: ReplicaID(replicas[0]))
      stream.route(replicas)
      receive(&stream, from: peer)
      return stream
    }

    /// The bodies of the frames of a kind that were sent to a peer.
    func bodies(_ kind: UInt8, to peer: Int) throws -> [[UInt8]] {
      try ForgedStream.frames(of: sent[peer] ?? []).filter { $0.kind == kind }.map(\.body)
    }
  }

  @Test("pleas without end: one is answered at once, and one a flush") func pleas() throws {
    var site = Site(5)
    for number in 0..<60 { site.value.insert("\(number * 7_919)", by: ReplicaID(5)) }
    var stream = site.meet(1, as: [66, 5])
    func beg(_ count: Int) {
      for _ in 0..<count {
        stream.frame(12, [0])
        site.receive(&stream, from: 1)
      }
    }
    beg(100)
    #expect(try site.bodies(9, to: 1).count == 1)
    site.flush()
    beg(100)
    #expect(try site.bodies(9, to: 1).count == 2)
    site.flush()
    site.flush()
    let answers = try site.bodies(9, to: 1)
    #expect(answers.count == 3)
    #expect(answers.last?.prefix(3) == [1, 200, 1], "it begins at the 200th version")
    beg(1)
    #expect(try site.bodies(9, to: 1).count == 4, "who has been patient is answered at once")
    #expect(site.failures.isEmpty)
  }

  @Test("a session alone answers no more of them") func pleasToSession() throws {
    var side = Peer(ORSet<String>(), as: ReplicaID(5))
    side.edit { $0.insert("a", by: $1) }
    side.connect()
    var stream = ForgedStream()
    stream.hello(versions: [1, 2])
    for _ in 0..<100 {
      stream.frame(12, [0])
      side.receive(stream.drain())
    }
    func parcels() throws -> Int {
      try ForgedStream.frames(of: side.outbox).filter { $0.kind == 9 }.count
    }
    #expect(try parcels() == 1)
    side.flush()
    #expect(try parcels() == 2)
  }

  @Test("ways that are longer than a frame may be are not gone") func longWays() throws {
    var site = Site(500, limits: SyncLimits(maximumFrameBytes: 64))
    var near = site.meet(1, as: [666])
    _ = site.meet(2, as: [667])
    near.route([666] + (10...30).reversed())
    site.receive(&near, from: 1)
    near.route([666, 31, 30])
    site.receive(&near, from: 1)
    site.flush()
    for peer in 1...2 {
      let frames = try ForgedStream.frames(of: site.sent[peer] ?? [])
      #expect(frames.allSatisfy { $0.body.count <= 64 })
    }
    #expect(try site.bodies(13, to: 2).last == ForgedStream.way([500, 666, 31, 30]))
  }

  @Test("sites in a line that is longer than a way fits into a frame") func longLine() {
    let limits = SyncLimits(maximumFrameBytes: 64, windowBytes: 96)
    let links = (0..<13).map { [$0, $0 + 1] }
    var network = GroupNetwork<ORSet<String>>(sites: 14, links: links, limits: limits)
    for link in links.indices { network.connect(link) }
    network.settle()
    for site in 0..<14 { network.edit(site, 4 * site) }
    network.run(rounds: 20)
    #expect(network.discrepancy() == nil)
  }

  @Test("ways without end are not all passed on at once") func floodOfWays() throws {
    var site = Site(5_000)
    var stream = site.meet(1, as: [6_666, 2_000])
    _ = site.meet(2, as: [6_667])
    for root in (1_000..<2_000 as Range<UInt64>).reversed() {
      stream.route([6_666, root])
      site.receive(&stream, from: 1)
    }
    #expect(try site.bodies(13, to: 2).count <= 64)
    site.flush()
    #expect(try site.bodies(13, to: 2).last == ForgedStream.way([5_000, 6_666, 1_000]))
  }

  @Test("who announces what it can't send is not asked for ever, and others still are")
  func emptyPromises() throws {
    var site = Site(5)
    _ = site.meet(1, as: [1])
    var liar = site.meet(2, as: [66, 1])
    var honest = site.meet(3, as: [67, 1])
    liar.announce(66, 5)
    site.receive(&liar, from: 2)
    for _ in 0..<3_000 { site.flush() }
    #expect((1...6).contains(try site.bodies(12, to: 2).count))
    #expect(try site.bodies(12, to: 3).isEmpty)
    honest.announce(67, 1)
    site.receive(&honest, from: 3)
    for _ in 0..<20 where try site.bodies(12, to: 3).isEmpty { site.flush() }
    #expect(try site.bodies(12, to: 3).count == 1)
    honest.frame(9) { writer in
      writer.write([1, 1, 1, 1])
      ReplicaID(67).encode(to: &writer)
      "a".encode(to: &writer)
    }
    site.receive(&honest, from: 3)
    #expect(site.failures.isEmpty && site.learned == 1 && site.value.contains("a"))
    // Who at last sends it is believed again.
    liar.frame(9) { writer in
      writer.write([1, UInt8(truncatingIfNeeded: (try? site.bodies(12, to: 2).count) ?? 0), 1, 9])
      ReplicaID(66).encode(to: &writer)
      writer.write(varint: 5)
      "b".encode(to: &writer)
      for _ in 0..<4 { writer.write([0x10]) }
    }
    site.receive(&liar, from: 2)
    #expect(site.failures.isEmpty && site.learned == 2)
    let asked = try site.bodies(12, to: 2).count
    site.flush()
    liar.frame(11, [0, 1])
    site.receive(&liar, from: 2)
    for _ in 0..<20 { site.flush() }
    #expect(try site.bodies(12, to: 2).count > asked)
  }

  @Test("parcels with hundreds of new replicas, between hundreds that were told of")
  func manyReplicas() throws {
    var network = GroupNetwork<ORSet<String>>(sites: 3, links: [[0, 1], [1, 2]])
    for number in 0..<300 as Range<UInt64> {
      network.sites[0].value.insert("a\(number)", by: ReplicaID(100 + 2 * number))
    }
    network.sites[0].durable = network.sites[0].value
    for link in 0..<2 { network.connect(link) }
    network.settle()
    network.run(rounds: 3)
    for number in 0..<300 as Range<UInt64> {
      network.sites[2].value.insert("b\(number)", by: ReplicaID(101 + 2 * number))
    }
    network.sites[2].durable = network.sites[2].value
    network.run(rounds: 3)
    let frames = network.frames[9]
    for number in 0..<30 as Range<UInt64> {
      network.sites[1].value.insert("c\(number)", by: ReplicaID(100 + 7 * number))
    }
    network.sites[1].durable = network.sites[1].value
    network.run(rounds: 3)
    #expect(network.discrepancy() == nil)
    #expect(network.sites[0].value.count == 630)
    #expect(try #require(network.frames[9]) - #require(frames) == 2)
  }
}

extension ForgedStream {
  fileprivate static func way(_ replicas: [UInt64]) -> [UInt8] {
    var writer = ByteWriter()
    for replica in replicas { ReplicaID(replica).encode(to: &writer) }
    return writer.finish()
  }

  fileprivate mutating func route(_ replicas: [UInt64]) { frame(13, Self.way(replicas)) }

  /// Tells of events of a replica that comes after all that was said before.
  fileprivate mutating func announce(_ replica: UInt64, _ count: UInt64) {
    frame(11) { writer in
      writer.write([1])
      ReplicaID(replica).encode(to: &writer)
      writer.write(varint: count)
    }
  }
}
