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

  @Test("after a transfer that followed a version told anew, names begin anew, too")
  func names() {
    askAgain { _ in }
  }

  @Test("in version 1, names go on after a version told anew") func oldNames() {
    askAgain { wire in
      wire.left.tamper = { bytes, _ in ForgedStream.limitToVersion1(&bytes) }
      wire.right.tamper = wire.left.tamper
    }
  }

  private func askAgain(preparing prepare: (inout Wire<Document>) -> Void) {
    let phone = ReplicaID(1)
    var left = Document()
    left.change(0, by: phone)
    let limits = SyncLimits(maximumFrameBytes: 64)
    var wire = Wire(
      Peer(left, as: phone, limits: limits),
      Peer(Document(), as: ReplicaID(2), limits: limits))
    prepare(&wire)
    var isFirst = true
    wire.left.deltaSource = { value, version in
      // One that builds on what was not seen, then those that can be taken in.
      defer { isFirst = false }
      return value.delta(since: isFirst ? [phone: 1] : version)
    }
    for number in 0..<20 { wire.left.edit { $0.change(number, by: $1) } }
    wire.sync()
    #expect(wire.discrepancy() == nil)
    for number in 0..<20 {
      wire.left.edit { $0.change(number, by: $1) }
      wire.left.flush()
      wire.run()
      #expect(wire.discrepancy() == nil, "\(number)")
    }
  }
}
