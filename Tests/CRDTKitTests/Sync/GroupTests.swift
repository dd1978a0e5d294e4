import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Sessions with many peers: along a tree, and lazily repaired.
@Suite("Peer group")
struct GroupTests {
  typealias Network = GroupNetwork<ORSet<String>>

  func everyPair(of count: Int) -> [[Int]] {
    (0..<count).flatMap { one in (one + 1..<count).map { [one, $0] } }
  }

  /// All links up, and the tree agreed on.
  private func connected(_ count: Int, _ links: [[Int]]) -> Network {
    var network = Network(sites: count, links: links)
    for link in links.indices { network.connect(link) }
    network.settle()
    return network
  }

  private func treeLinks(_ network: Network) -> [[Int]] {
    network.links.filter { network.sites[$0[0]].group.isInTree($0[1]) }
  }

  @Test("where everyone is linked with everyone, each change crosses each link of a tree once")
  func once() {
    for count in [2, 3, 5, 9] {
      var network = connected(count, everyPair(of: count))
      #expect(treeLinks(network).count == count - 1)
      for link in network.links {
        #expect(
          network.sites[link[0]].group.isInTree(link[1])
            == network.sites[link[1]].group.isInTree(link[0]))
      }
      for round in 0..<30 {
        network.edit(round % count, 4 * round)
        network.run(rounds: 6)
        #expect(network.discrepancy() == nil)
      }
      #expect(network.learned == 30 * (count - 1))
      #expect(network.frames[9] == network.learned, "no parcel brought what was known")
      #expect(network.frames[12] == nil, "nobody had to ask")
    }
  }

  @Test("peers of another document are refused, and nothing of theirs is merged or sent on")
  func documents() {
    let documents: [UInt64] = [1, 2, 1]
    var groups = documents.indices.map { place in
      PeerGroup<ORSet<String>, Int>(
        replica: ReplicaID(UInt64(place + 1)),
        document: DocumentID(high: 0, low: documents[place]))
    }
    var values = documents.indices.map { place in
      var set = ORSet<String>()
      set.insert("\(place)", by: ReplicaID(UInt64(place + 1)))
      return set
    }
    var failures: [[Int]: SyncFailure] = [:]
    var waiting: [(from: Int, to: Int, bytes: [UInt8])] = []
    func perform(_ actions: [PeerGroup<ORSet<String>, Int>.Action], of place: Int) {
      for action in actions {
        switch action {
        case .send(let bytes, let peer): waiting.append((place, peer, bytes))
        case .close(let peer, let failure): failures[[place, peer]] = failure
        default: break
        }
      }
    }
    for place in 0..<3 {
      for peer in 0..<3 where peer != place {
        perform(groups[place].connect(values[place], to: peer), of: place)
      }
    }
    for _ in 0..<6 {
      while !waiting.isEmpty {
        let (from, to, bytes) = waiting.removeFirst()
        perform(groups[to].receive(bytes, from: from, into: &values[to]), of: to)
      }
      for place in 0..<3 { perform(groups[place].flush(values[place]), of: place) }
    }
    let ids = documents.map { DocumentID(high: 0, low: $0) }
    for (place, peer) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
      #expect(
        failures[[place, peer]] == .differentDocument(found: ids[peer], own: ids[place]))
    }
    #expect(failures.count == 4)
    #expect(values.map { $0.sorted() } == [["0", "2"], ["1"], ["0", "2"]])
  }

  @Test("a link of the tree that brings nothing: what is missing is asked for over another")
  func silence() throws {
    var network = connected(5, everyPair(of: 5))
    let dead = try #require(treeLinks(network).first { $0[1] == 3 })
    network.silent = [dead]
    network.edit(dead[0], 0)
    network.edit(3, 4)
    network.run(rounds: 20)
    #expect(network.discrepancy() == nil)
    #expect((network.frames[12] ?? 0) > 0)
  }

  @Test("what is sent into a link off the tree that stands still doesn't grow with time")
  func standstill() throws {
    var network = connected(3, everyPair(of: 3))
    let link = try #require(
      network.links.first { !network.sites[$0[0]].group.isInTree($0[1]) })
    network.silent = [link]
    var sizes: [Int] = []
    for round in 0..<2_000 {
      network.edit(0, 4 * round)
      network.run(rounds: 1)
      if round % 500 == 499 { sizes.append(network.outboxes[link[0]][link[1]]?.count ?? 0) }
    }
    #expect(sizes[0] > 0 && sizes[0] < 1_500, "\(sizes)")
    #expect(sizes[3] < sizes[0] + 300, "\(sizes)")
    network.silent = []
    network.run(rounds: 12)
    #expect(network.discrepancy() == nil)
    #expect(network.sites.allSatisfy { $0.group.isSynchronized($0.value) })
  }

  @Test("the tree grows together where links and its root are gone") func repair() {
    var network = connected(7, everyPair(of: 7))
    for gone in 0..<5 {
      for (place, link) in network.links.enumerated() where link[0] == gone { network.cut(place) }
      network.settle()
      network.edit(gone + 1, 4 * gone)
      network.run(rounds: 6)
      let left = network.sites[(gone + 1)...]
      #expect(Set(left.map { $0.value.encoded() }).count == 1, "without \(gone)")
      let up = network.links.filter { $0[0] > gone }
      let inTree = up.filter { network.sites[$0[0]].group.isInTree($0[1]) }
      #expect(inTree.count == left.count - 1)
    }
    for link in network.links.indices { network.connect(link) }
    network.settle()
    network.run(rounds: 12)
    #expect(network.discrepancy() == nil)
    #expect(treeLinks(network).count == 6)
  }

  @Test("that a root is gone is believed at once, not after a try of every way there was")
  func goneRoot() {
    for count in [8, 24] {
      var network = connected(count, everyPair(of: count))
      let before = network.frames[13] ?? 0
      for (place, link) in network.links.enumerated() where link[0] == 0 { network.cut(place) }
      network.run(rounds: 4)
      let told = (network.frames[13] ?? 0) - before
      #expect(told <= 4 * count * count, "\(told) frames among \(count)")
      #expect(treeLinks(network).filter { $0[0] > 0 }.count == count - 2)
    }
  }

  @Test("a lone session beside groups is sent everything, and passes it on") func plainPeer() {
    var set = ORSet<String>()
    var group = PeerGroup<ORSet<String>, String>(replica: ReplicaID(1))
    var plain = Peer(ORSet<String>(), as: ReplicaID(2))
    var toPlain: [UInt8] = []
    func perform(_ actions: [PeerGroup<ORSet<String>, String>.Action]) {
      for case .send(let bytes, to: "plain") in actions { toPlain += bytes }
    }
    plain.connect()
    perform(group.connect(set, to: "plain"))
    for number in 0..<5 {
      set.insert("g\(number)", by: ReplicaID(1))
      plain.edit { $0.insert("p\(number)", by: $1) }
      plain.flush()
      for _ in 0..<3 {
        perform(group.receive(plain.outbox, from: "plain", into: &set))
        plain.outbox = []
        perform(group.flush(set))
        plain.receive(toPlain)
        toPlain = []
      }
    }
    #expect(plain.failure == nil && plain.value == set && set.count == 10)
    #expect(group.isSynchronized(set) && plain.isSynchronized)
    #expect(group.connectedPeers == ["plain"])
    _ = group.remove("plain")
    #expect(group.connectedPeers.isEmpty && group["plain"] == nil)
  }

  @Test("edits, pieces of streams, cuts and crashes at random: all come to hold all")
  func schedules() {
    play(ORSet<String>.self)
    play(TextRegisters.self)
    play(Document.self)
  }

  private func play<Value: SyncSample>(_: Value.Type) {
    for seed in 0..<(isLongRun ? 20_000 : isOptimized ? 150 : 20) as Range<UInt64> {
      if let wrong = outcome(of: Value.self, seed: seed, steps: 40 + Int(seed % 4) * 60) {
        let least = (0...).first { outcome(of: Value.self, seed: seed, steps: $0) != nil }
        Issue.record("\(Value.self), seed \(seed), \(least ?? 0) steps: \(wrong)")
        return
      }
    }
  }

  private func outcome<Value: SyncSample>(
    of _: Value.Type, seed: UInt64, steps: Int
  ) -> String? {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...6, using: &random)
    var links: [[Int]] = (1..<count).map { [Int.random(in: 0..<$0, using: &random), $0] }
    for pair in everyPair(of: count) where !links.contains(pair) && Bool.random(using: &random) {
      links.append(pair)
    }
    let limits = seed % 2 == 0 ? SyncLimits.standard : tightLimits
    var network = GroupNetwork<Value>(sites: count, links: links, limits: limits)
    for link in links.indices { network.connect(link) }
    for _ in 0..<steps {
      let site = Int.random(in: 0..<count, using: &random)
      let link = Int.random(in: links.indices, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<8: network.edit(site, Int.random(in: 0..<1_000, using: &random))
      case 8..<18: network.flush(site)
      case 18..<34:
        let most = Bool.random(using: &random) ? 100_000 : 60
        let size = Int.random(in: 1...most, using: &random)
        network.deliver(size, over: link, to: Int.random(in: 0..<2, using: &random))
      case 34, 35: network.connect(link)
      case 36: network.cut(link)
      case 37: network.restart(site)
      case 38: network.silent.insert(links[link])
      default: network.silent = []
      }
    }
    network.silent = []
    for link in links.indices { network.connect(link) }
    network.settle()
    network.run(rounds: 60)
    return network.discrepancy()
  }
}
