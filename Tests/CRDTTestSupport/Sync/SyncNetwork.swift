package import CRDTKit
package import CRDTStoreTesting

/// Several sites, each with one value, and a stream with sessions between any two.
package struct SyncNetwork<Value: SyncSample> {
  package struct Site {
    package var value: Value
    /// What a crash leaves.
    package var durable: Value
    package var replica: ReplicaID
  }

  package struct Link {
    package var ends: [Int]
    package var sessions: [PeerSession<Value>]
    /// What each end has sent and the other has not got.
    package var outboxes: [[UInt8]] = [[], []]
  }

  package var sites: [Site]
  package var links: [Link] = []
  package var random: SeededGenerator
  /// What was done, in words.
  package var log: [String] = []
  /// What must never happen among honest sites.
  package var failures: [String] = []
  private var crashedSite: Int?
  private let limits: SyncLimits

  package init(sites count: Int, seed: UInt64, limits: SyncLimits = tightLimits) {
    random = SeededGenerator(seed: seed)
    self.limits = limits
    sites = (0..<count).map { place in
      Site(value: .make(), durable: .make(), replica: ReplicaID(UInt64(place + 1)))
    }
    for one in 0..<count {
      for other in one + 1..<count {
        let sessions = [one, other].map { session(of: $0) }
        links.append(Link(ends: [one, other], sessions: sessions))
      }
    }
  }

  private func session(of site: Int) -> PeerSession<Value> {
    PeerSession(replica: sites[site].replica, limits: limits)
  }
}

extension SyncNetwork {
  package mutating func connect(_ link: Int) {
    cut(link)
    for end in 0..<2 {
      let value = sites[links[link].ends[end]].value
      perform(links[link].sessions[end].connect(value), at: end, of: link)
    }
  }

  package mutating func cut(_ link: Int) {
    for end in 0..<2 { links[link].sessions[end].disconnect() }
    links[link].outboxes = [[], []]
  }

  package mutating func deliver(_ count: Int, to end: Int, of link: Int) {
    let bytes = Array(links[link].outboxes[1 - end].prefix(count))
    links[link].outboxes[1 - end].removeFirst(bytes.count)
    let site = links[link].ends[end]
    let actions = links[link].sessions[end].receive(bytes, into: &sites[site].value)
    perform(actions, at: end, of: link)
  }

  package mutating func flush(_ site: Int) {
    for link in links.indices {
      for end in 0..<2 where links[link].ends[end] == site {
        perform(links[link].sessions[end].flush(sites[site].value), at: end, of: link)
      }
    }
  }

  /// Starts a site over from what is durable, or from an older copy, which then
  /// writes under a new name.
  package mutating func restart(_ site: Int, from backup: Value? = nil) {
    if let backup {
      sites[site].durable = backup
      sites[site].replica = .random(using: &random)
    }
    sites[site].value = (try? sites[site].durable.readBack()) ?? .make()
    for link in links.indices {
      for end in 0..<2 where links[link].ends[end] == site {
        cut(link)
        links[link].sessions[end] = session(of: site)
      }
    }
  }

  /// Does what a session asks for; now and then the site dies halfway.
  private mutating func perform(
    _ actions: [PeerSession<Value>.Action], at end: Int, of link: Int
  ) {
    let site = links[link].ends[end]
    let isDoomed = canCrash && Int.random(in: 0..<60, using: &random) == 0
    let survived = isDoomed ? Int.random(in: 0...actions.count, using: &random) : actions.count
    for action in actions.prefix(survived) {
      switch action {
      case .send(let bytes): links[link].outboxes[end] += bytes
      case .learned(let delta):
        do { try sites[site].durable.apply(mending: delta) } catch { failures.append("\(error)") }
      case .takeNewReplica: failures.append("a new replica was asked for")
      case .close(let failure): failures.append("\(failure)")
      }
    }
    if isDoomed {
      log.append("  site \(site) dies after \(survived) of \(actions.count) actions")
      restart(site)
    }
  }

  package var canCrash: Bool {
    get { crashedSite == nil }
    set { crashedSite = newValue ? nil : -1 }
  }
}
