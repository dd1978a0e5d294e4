import Testing

@testable import crdt_demo

@Suite("The simulated network")
struct NetworkTests {
  @Test("links who stands beside whom, both ways, and reaches all")
  func topologies() {
    for topology in Topology.allCases {
      for count in 2...9 {
        let neighbours = (0..<count).map { topology.neighbours(of: $0, among: count) }
        var reached: Set = [0]
        for _ in 0..<count { reached.formUnion(reached.flatMap { neighbours[$0] }) }
        #expect(reached.count == count, "\(topology) of \(count)")
        for (replica, others) in neighbours.enumerated() {
          #expect(others == Set(others).sorted() && !others.contains(replica))
          #expect(others.allSatisfy { neighbours[$0].contains(replica) }, "\(topology) of \(count)")
        }
      }
    }
    #expect(Topology.ring.neighbours(of: 0, among: 5) == [1, 4])
    #expect(Topology.line.neighbours(of: 0, among: 5) == [1])
    #expect(Topology.star.neighbours(of: 0, among: 5) == [1, 2, 3, 4])
    #expect(Topology.star.neighbours(of: 3, among: 5) == [0])
    #expect(Topology.mesh.neighbours(of: 1, among: 4) == [0, 2, 3])
  }

  @Test("loses, repeats and delays as often as it was told, from its seed alone")
  func faults() {
    let faults = LinkFaults(loss: 0.2, duplicate: 0.3, reorder: 0.4)
    var link = FaultyLink(seed: 7, from: 0, to: 1, faults: faults)
    var twin = FaultyLink(seed: 7, from: 0, to: 1, faults: faults)
    var other = FaultyLink(seed: 7, from: 1, to: 0, faults: faults)
    var differences = 0
    for _ in 0..<10_000 {
      let delays = link.send()
      #expect(delays == twin.send())
      #expect(delays.allSatisfy { (0...FaultyLink.delayMax).contains($0) })
      if delays != other.send() { differences += 1 }
    }
    #expect(differences > 1_000)
    #expect((1_900...2_100).contains(link.counts.lost))
    #expect((2_250...2_550).contains(link.counts.duplicated))
    #expect((3_900...4_400).contains(link.counts.reordered))
  }

  @Test("is a perfect network without faults, and once it has healed")
  func healing() {
    var link = FaultyLink(
      seed: 7, from: 0, to: 1, faults: LinkFaults(loss: 1, duplicate: 1, reorder: 1))
    for _ in 0..<100 { #expect(link.send() == []) }
    link.heal()
    for _ in 0..<100 { #expect(link.send() == [0]) }
    #expect(link.counts == FaultyLink.Counts(packets: 200, lost: 100, duplicated: 0, reordered: 0))
  }

  @Test("brings packets in the order of their arrival, and each once")
  func arrivals() throws {
    var options = SimulationOptions()
    options.faults = LinkFaults(loss: 0, duplicate: 0, reorder: 0.5)
    options.replicas = 3
    var network = Network(options: options)
    var sent = 0
    var received: [UInt8] = []
    for round in 0..<50 {
      let packets = [Packet(peer: 1, bytes: [UInt8(round)]), Packet(peer: 2, bytes: [1])]
      try network.send(packets, from: 0, at: round + 1)
      sent += 1
      received += network.arrivals(at: round)[1].flatMap(\.bytes)
    }
    received += network.arrivals(at: 100)[1].flatMap(\.bytes)
    #expect(network.isQuiet)
    #expect(received.sorted() == Array(0..<50))
    #expect(received != received.sorted())
    #expect(throws: Trouble.self) {
      try network.send([Packet(peer: 0, bytes: [])], from: 0, at: 1)
    }
  }
}
