import CRDTKit

extension SyncNetwork {
  /// Does something at random.
  package mutating func step(backups: inout [[Value]]) {
    let site = Int.random(in: sites.indices, using: &random)
    let link = Int.random(in: links.indices, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<8:
      log.append("edit \(site)")
      edit(site)
    case 8..<14:
      log.append("flush \(site)")
      flush(site)
    case 14..<33:
      let (end, count) = (Int.random(in: 0..<2, using: &random), pieceSize())
      log.append("deliver \(count) to \(end) of \(links[link].ends)")
      deliver(count, to: end, of: link)
    case 33..<36:
      log.append("connect \(links[link].ends)")
      connect(link)
    case 36:
      log.append("cut \(links[link].ends)")
      cut(link)
    case 37:
      log.append("start the sessions of \(site) over")
      restart(site)
    case 38:
      log.append("keep a backup of \(site)")
      backups[site].append(sites[site].durable)
    default:
      guard let backup = backups[site].randomElement(using: &random) else { return }
      log.append("restore a backup of \(site)")
      restart(site, from: backup)
    }
  }

  private mutating func edit(_ site: Int) {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let number = Int.random(in: 0..<1_000, using: &random)
      sites[site].value.change(number, by: sites[site].replica)
    }
    sites[site].durable = sites[site].value
  }

  private mutating func pieceSize() -> Int {
    Int.random(in: 0..<4, using: &random) == 0 ? 100_000 : .random(in: 1...90, using: &random)
  }

  /// Connects all, delivers all; then every site must hold what any site held.
  package mutating func heal() -> String? {
    canCrash = false
    let expected = sites.dropFirst().reduce(sites[0].value) { $0.merging($1.value) }
    for link in links.indices { connect(link) }
    var rounds = 0
    while rounds < 200, links.contains(where: { !$0.outboxes.allSatisfy(\.isEmpty) }) {
      for link in links.indices {
        for end in 0..<2 { deliver(.max, to: end, of: link) }
      }
      for site in sites.indices { flush(site) }
      rounds += 1
    }
    if let failure = failures.first { return failure }
    for (place, site) in sites.enumerated() {
      if site.value.encoded() != expected.encoded() {
        return "site \(place) holds \(site.value.version), not \(expected.version)"
      }
      if site.durable.encoded() != site.value.encoded() { return "site \(place) stored less" }
    }
    for link in links {
      for end in 0..<2 where !link.sessions[end].isSynchronized(sites[link.ends[end]].value) {
        return "end \(end) of \(link.ends) does not know that it is in sync"
      }
    }
    return nil
  }

  /// Plays a schedule; says what is wrong with how it ends, and the schedule.
  package static func play(seed: UInt64, steps: Int, sites: Int) -> (wrong: String, log: [String])?
  {
    var network = SyncNetwork(sites: sites, seed: seed)
    var backups: [[Value]] = Array(repeating: [], count: sites)
    for link in network.links.indices { network.connect(link) }
    for _ in 0..<steps { network.step(backups: &backups) }
    return network.heal().map { ($0, network.log) }
  }
}
