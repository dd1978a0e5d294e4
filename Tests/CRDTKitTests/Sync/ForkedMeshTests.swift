import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Sites with a session between any two, of which some go on under another's name: from an
/// older copy that is put back unnoticed, or from a copy of what is in use.
///
/// Sites start over from bytes. What each site may hold is known without any merge: all
/// that was inserted, under whatever name.
private struct ForkedMesh {
  struct Site {
    var value = ORSet<Int>()
    /// What is left of it when it starts over.
    var bytes: [UInt8] = []
    var replica: ReplicaID
    var sessions: [Int: PeerSession<ORSet<Int>>] = [:]
  }

  var random: SeededGenerator
  var sites: [Site] = []
  var wires: [[Int]: [UInt8]] = [:]
  var backups: [(bytes: [UInt8], replica: ReplicaID)] = []
  var inserted: Set<Int> = []
  var log: [String] = []
  var failures: [String] = []

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    for _ in 0..<3 { try add(ORSet<Int>().encoded(), .random(using: &random)) }
  }

  mutating func add(_ bytes: [UInt8], _ replica: ReplicaID) throws {
    sites.append(Site(replica: replica))
    try open(sites.count - 1, from: bytes, as: replica)
  }

  /// Opens a site as a store is opened: from bytes, with a stretch of its own.
  mutating func open(_ site: Int, from bytes: [UInt8], as replica: ReplicaID) throws {
    for other in sites.indices { cut(site, other) }
    sites[site] = Site(value: try ORSet(decoding: bytes), bytes: bytes, replica: replica)
    sites[site].value.beginStretch(of: replica, nonce: UInt32(truncatingIfNeeded: random.next()))
    for other in sites.indices { sites[other].sessions[site] = nil }
  }

  mutating func cut(_ one: Int, _ other: Int) {
    for (from, to) in [(one, other), (other, one)] {
      sites[from].sessions[to]?.disconnect()
      wires[[from, to]] = nil
    }
  }

  mutating func connect(_ one: Int, _ other: Int) {
    guard one != other, sites[one].sessions[other]?.isConnected != true else { return }
    cut(one, other)
    for (from, to) in [(one, other), (other, one)] {
      var session =
        sites[from].sessions[to] ?? PeerSession<ORSet<Int>>(replica: sites[from].replica)
      let actions = session.connect(sites[from].value)
      sites[from].sessions[to] = session
      perform(actions, from, to)
    }
  }

  mutating func flush(_ site: Int) {
    for other in sites[site].sessions.keys.sorted() {
      guard var session = sites[site].sessions[other], session.isConnected else { continue }
      let actions = session.flush(sites[site].value)
      sites[site].sessions[other] = session
      perform(actions, site, other)
    }
  }

  mutating func deliver(_ from: Int, _ to: Int, upTo count: Int) {
    guard let sent = wires[[from, to]], var session = sites[to].sessions[from] else { return }
    wires[[from, to]] = Array(sent.dropFirst(count))
    let actions = session.receive(Array(sent.prefix(count)), into: &sites[to].value)
    sites[to].sessions[from] = session
    perform(actions, to, from)
  }

  mutating func perform(_ actions: [PeerSession<ORSet<Int>>.Action], _ site: Int, _ peer: Int) {
    for action in actions {
      switch action {
      case .send(let bytes): wires[[site, peer], default: []] += bytes
      case .learned: sites[site].bytes = sites[site].value.encoded()
      case .takeNewReplica: rename(site)
      case .close(let failure):
        if case .fork = failure {} else { failures.append("\(site): \(failure)") }
        cut(site, peer)
      }
    }
    if sites[site].value.forks.contains(sites[site].replica) { rename(site) }
  }

  mutating func rename(_ site: Int) {
    let replica = ReplicaID.random(using: &random)
    sites[site].replica = replica
    sites[site].value.beginStretch(
      of: replica, nonce: UInt32(truncatingIfNeeded: random.next()))
    for peer in sites[site].sessions.keys { sites[site].sessions[peer]?.replica = replica }
  }

  mutating func step() throws {
    let site = Int.random(in: sites.indices, using: &random)
    let other = Int.random(in: sites.indices, using: &random)
    switch Int.random(in: 0..<30, using: &random) {
    case 0..<7:
      log.append("insert at \(site)")
      let replica = sites[site].replica
      sites[site].value.insert(inserted.count, by: replica)
      sites[site].bytes = sites[site].value.encoded()
      inserted.insert(inserted.count)
    case 7..<10:
      log.append("flush \(site)")
      flush(site)
    case 10:
      log.append("keep a backup of \(site)")
      backups.append((sites[site].bytes, sites[site].replica))
    case 11 where sites.count < 5:
      guard let backup = backups.randomElement(using: &random) else { return }
      log.append("a backup as \(sites.count)")
      try add(backup.bytes, backup.replica)
    case 12 where sites.count < 5:
      log.append("\(sites.count) is a copy of \(site)")
      let copy = sites[site]
      try add(copy.bytes, copy.replica)
      // A machine that is copied while it runs goes on in the same stretch.
      if Bool.random(using: &random) { sites[sites.count - 1].value = copy.value }
    case 13:
      log.append("\(site) starts over")
      try open(site, from: sites[site].bytes, as: sites[site].replica)
    case 14:
      log.append("cut \(site) \(other)")
      if site != other { cut(site, other) }
    case 15..<20:
      log.append("connect \(site) \(other)")
      connect(site, other)
    default:
      let waiting = wires.filter { !$0.value.isEmpty }.keys.sorted {
        $0.lexicographicallyPrecedes($1)
      }
      guard let wire = waiting.randomElement(using: &random) else { return }
      let count = Bool.random(using: &random) ? Int.max : Int.random(in: 1...200, using: &random)
      log.append("deliver \(count) of \(wire)")
      deliver(wire[0], wire[1], upTo: count)
    }
  }

  /// Connects all and delivers all; then every site holds all that was inserted, knows that
  /// it is in sync, and its bytes are everyone's.
  mutating func heal() -> String? {
    for _ in 0..<12 {
      for one in sites.indices {
        for other in sites.indices where one < other { connect(one, other) }
        flush(one)
      }
      for _ in 0..<200 where wires.contains(where: { !$0.value.isEmpty }) {
        for wire in wires.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
          deliver(wire[0], wire[1], upTo: .max)
        }
      }
    }
    if let failure = failures.first { return failure }
    for (place, site) in sites.enumerated() {
      let held = Set(site.value)
      if held != inserted { return "\(place) has \(held), not \(inserted)" }
      if site.value.encoded() != sites[0].value.encoded() { return "\(place) has other bytes" }
      if site.bytes != site.value.encoded() { return "\(place) stored something else" }
      for (peer, session) in site.sessions where !session.isSynchronized(site.value) {
        return "\(place) does not know that it is in sync with \(peer)"
      }
    }
    return nil
  }

  static func play(seed: UInt64, steps: Int) throws -> (wrong: String?, mesh: ForkedMesh) {
    var mesh = try ForkedMesh(seed: seed)
    for _ in 0..<steps { try mesh.step() }
    return (mesh.heal(), mesh)
  }
}

@Suite("Peer session: forks in a mesh")
struct ForkedMeshTests {
  @Test("all sites hold all that was inserted, and know it, wherever forks were mended")
  func meshes() throws {
    var forks = 0
    // The last told nobody once that a fork was mended.
    let seeds = Array(0..<(isLongRun ? 5_000 : isOptimized ? 200 : 60) as Range<UInt64>) + [1_047]
    for seed in seeds {
      let steps = 20 + Int(seed % 9) * 20
      let (wrong, mesh) = try ForkedMesh.play(seed: seed, steps: steps)
      forks += mesh.sites.map(\.value.forks.count).max() ?? 0
      guard wrong != nil else { continue }
      for fewer in 0...steps {
        guard case (let wrong?, let mesh) = try ForkedMesh.play(seed: seed, steps: fewer) else {
          continue
        }
        Issue.record("seed \(seed): \(wrong)\nafter \(mesh.log.joined(separator: "\n"))")
        return
      }
    }
    #expect(forks > 0)
  }
}
