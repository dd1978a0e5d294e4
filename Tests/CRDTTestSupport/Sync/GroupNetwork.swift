package import CRDTKit

/// Several sites, each with one value and a group, and streams between some of them.
package struct GroupNetwork<Value: SyncSample> {
  package struct Site {
    package var value: Value = .make()
    /// What a crash leaves.
    package var durable: Value = .make()
    package var group: PeerGroup<Value, Int>
    package let replica: ReplicaID

    mutating func receive(_ bytes: [UInt8], from peer: Int) -> [PeerGroup<Value, Int>.Action] {
      group.receive(bytes, from: peer, into: &value)
    }
  }

  package var sites: [Site]
  /// The two sites of each link.
  package let links: [[Int]]
  /// What each site has sent to each other and has not come.
  package var outboxes: [[Int: [UInt8]]]
  /// Links over which nothing comes, though they stand.
  package var silent: Set<[Int]> = []
  /// Links over which version 1 is spoken.
  package var old: Set<[Int]> = []
  /// How many deltas were taken in, and how many frames of each kind were sent.
  package private(set) var learned = 0
  package private(set) var frames: [UInt8: Int] = [:]
  package private(set) var failures: [String] = []
  private let limits: SyncLimits

  package init(sites count: Int, links: [[Int]], limits: SyncLimits = .standard) {
    self.links = links
    self.limits = limits
    outboxes = Array(repeating: [:], count: count)
    sites = (0..<count).map { place in
      let replica = ReplicaID(UInt64(place + 1))
      return Site(group: PeerGroup(replica: replica, limits: limits), replica: replica)
    }
  }
}

extension GroupNetwork {
  package mutating func connect(_ link: Int) {
    cut(link)
    let ends = links[link]
    for end in 0..<2 {
      let (site, peer) = (ends[end], ends[1 - end])
      perform(sites[site].group.connect(sites[site].value, to: peer), of: site)
    }
  }

  package mutating func cut(_ link: Int) {
    let ends = links[link]
    for end in 0..<2 { outboxes[ends[end]][ends[1 - end]] = nil }
    for end in 0..<2 {
      perform(sites[ends[end]].group.disconnect(ends[1 - end]), of: ends[end])
      outboxes[ends[end]][ends[1 - end]] = nil
    }
  }

  /// Whether both ends of a link have a stream.
  package func isUp(_ link: [Int]) -> Bool {
    (0..<2).allSatisfy { sites[link[$0]].group.connectedPeers.contains(link[1 - $0]) }
  }

  /// Delivers up to a number of bytes from one end of a link to the other.
  package mutating func deliver(_ count: Int = .max, over link: Int, to end: Int) {
    let (target, source) = (links[link][end], links[link][1 - end])
    guard !silent.contains(links[link]), let waiting = outboxes[source][target] else { return }
    let bytes = Array(waiting.prefix(count))
    outboxes[source][target] = bytes.count < waiting.count ? Array(waiting[bytes.count...]) : nil
    perform(sites[target].receive(bytes, from: source), of: target)
  }

  /// Delivers until nothing is under way.
  package mutating func settle() {
    var isBusy = true
    while isBusy {
      isBusy = false
      for link in links.indices {
        for end in 0..<2 where outboxes[links[link][1 - end]][links[link][end]] != nil {
          guard !silent.contains(links[link]) else { continue }
          isBusy = true
          deliver(over: link, to: end)
        }
      }
    }
  }

  package mutating func flush(_ site: Int) {
    perform(sites[site].group.flush(sites[site].value), of: site)
  }

  /// Flushes every site and delivers all, some times.
  package mutating func run(rounds: Int) {
    for _ in 0..<rounds {
      for site in sites.indices { flush(site) }
      settle()
    }
  }

  package mutating func edit(_ site: Int, _ number: Int) {
    sites[site].value.change(number, by: sites[site].replica)
    sites[site].durable = sites[site].value
  }

  /// Starts a site over from what is durable, knowing nothing of former streams.
  package mutating func restart(_ site: Int) {
    for link in links.indices where links[link].contains(site) { cut(link) }
    sites[site].value = (try? sites[site].durable.readBack()) ?? .make()
    sites[site].group = PeerGroup(replica: sites[site].replica, limits: limits)
  }

  private mutating func perform(_ actions: [PeerGroup<Value, Int>.Action], of site: Int) {
    for action in actions {
      switch action {
      case .send(var bytes, let peer):
        if old.contains([site, peer].sorted()) { ForgedStream.limitToVersion1(&bytes) }
        outboxes[site][peer, default: []] += bytes
        for frame in (try? ForgedStream.frames(of: bytes)) ?? [] {
          frames[frame.kind, default: 0] += 1
        }
      case .learned(let delta, _):
        learned += 1
        do { try sites[site].durable.apply(mending: delta) } catch { failures.append("\(error)") }
      case .takeNewReplica: failures.append("site \(site) was asked to take a new replica")
      case .close(let peer, let failure): failures.append("\(site) closed \(peer): \(failure)")
      }
    }
  }

  /// What is wrong, if the sites don't all hold all that any site holds.
  package func discrepancy() -> String? {
    if let failure = failures.first { return failure }
    let expected = sites.dropFirst().reduce(sites[0].value) { $0.merging($1.value) }.encoded()
    for (place, site) in sites.enumerated() {
      if site.value.encoded() != expected { return "site \(place) holds \(site.value.version)" }
      if site.durable.encoded() != expected { return "site \(place) stored less" }
    }
    return nil
  }
}
