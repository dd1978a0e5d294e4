import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

extension GroupTests {
  @Test("one that is flushed far more often, a slow link, links of version 1, tight limits")
  func rates() {
    play(ORSet<String>.self)
    play(TextRegisters.self)
    play(Document.self)
  }

  private func play<Value: SyncSample>(_: Value.Type) {
    for seed in 0..<(isLongRun ? 5_000 : 24) as Range<UInt64> {
      if let wrong = outcome(of: Value.self, seed: seed) {
        Issue.record("\(Value.self), seed \(seed): \(wrong)")
        return
      }
    }
  }

  private func outcome<Value: SyncSample>(of _: Value.Type, seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 3...6, using: &random)
    let links = everyPair(of: count).filter {
      $0[0] + 1 == $0[1] || Int.random(in: 0..<4, using: &random) > 0
    }
    let limits = [
      .standard, tightLimits, SyncLimits(maximumFrameBytes: 64, windowBytes: 1),
      SyncLimits(maximumFrameBytes: 64, windowBytes: 1_000),
    ][Int(seed % 4)]
    var network = GroupNetwork<Value>(sites: count, links: links, limits: limits)
    if seed % 3 == 0 { network.old = Set(links.shuffled(using: &random).prefix(2)) }
    for link in links.indices { network.connect(link) }
    network.settle()
    let eager = Int.random(in: 0..<count, using: &random)
    let slow = Int.random(in: links.indices, using: &random)
    for step in 0..<(100 + Int(seed % 5) * 150) {
      let site = Int.random(in: 0..<count, using: &random)
      let link = Int.random(in: links.indices, using: &random)
      switch Int.random(in: 0..<240, using: &random) {
      case 0..<24: network.edit(site, Int.random(in: 0..<1_000, using: &random))
      case 24..<80: network.flush(site)
      case 80..<130: network.flush(eager)
      case 130..<220 where link != slow || step % 20 == 0:
        let size = Bool.random(using: &random) ? 100_000 : .random(in: 1...60, using: &random)
        network.deliver(size, over: link, to: Int.random(in: 0..<2, using: &random))
      case 220: network.connect(link)
      case 221: network.cut(link)
      case 222: network.restart(site)
      case 223..<228: network.silent.insert(links[link])
      case 228..<232: network.silent = []
      case 232: network.settle()
      default: break
      }
    }
    network.silent = []
    network.settle()
    network.run(rounds: 30)
    for (place, link) in links.enumerated() where !network.isUp(link) { network.connect(place) }
    network.settle()
    network.run(rounds: 60)
    if let wrong = network.discrepancy() { return wrong }
    let unaware = network.sites.firstIndex { !$0.group.isSynchronized($0.value) }
    return unaware.map { "site \($0) does not know that all are in sync" }
  }
}
