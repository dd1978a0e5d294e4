import CRDTKit
import CRDTTestSupport
import Testing

/// Versions that are told anew amid a stream, and what is under way meanwhile.
@Suite("Peer session: beginning anew")
struct RestartTests {
  @Test("a second plea before the first is answered: nothing is read in a wrong place")
  func pleas() throws {
    var network = GroupNetwork<ORSet<String>>(sites: 3, links: [[0, 1], [0, 2], [1, 2]])
    for link in network.links.indices { network.connect(link) }
    network.settle()
    network.edit(0, 0)
    network.edit(2, 4)
    network.run(rounds: 6)
    #expect(!network.sites[1].group.isInTree(2))
    network.silent = [[0, 2]]
    network.edit(2, 8)
    // Site 1 hears of it, does not get it along the tree, and asks for it.
    for _ in 0..<30 where network.frames[12] == nil {
      for site in 0..<3 { network.flush(site) }
      if network.frames[12] == nil { network.settle() }
    }
    #expect(network.frames[12] == 1)
    network.deliver(over: 2, to: 1)
    // The answer is long on its way; now site 1 knows of one more replica.
    network.edit(1, 12)
    for _ in 0..<30 where network.frames[12] == 1 { network.flush(1) }
    network.silent = []
    network.settle()
    network.run(rounds: 12)
    #expect(network.discrepancy() == nil)
  }
}
