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

  private func stream(_ faults: LinkFaults, seed: UInt64 = 7) -> FaultyStream {
    FaultyStream(seed: seed, from: 0, to: 1, faults: faults)
  }

  /// What becomes of each chunk of some bytes.
  private func passages(
    of bytes: [UInt8], through stream: inout FaultyStream
  ) -> [FaultyStream.Passage] {
    var rest = bytes[...]
    var passages: [FaultyStream.Passage] = []
    while !rest.isEmpty { passages.append(stream.pass(&rest)) }
    return passages
  }

  /// The bytes that arrive if none is late.
  private func arrived(_ passages: [FaultyStream.Passage]) -> [UInt8] {
    passages.flatMap { passage in
      if case .arrivals(let arrivals) = passage { arrivals.flatMap(\.bytes) } else { [] as [UInt8] }
    }
  }

  @Test("damages streams as often as it was told, from its seed alone")
  func faults() {
    let faults = LinkFaults(loss: 0.2, duplicate: 0.3, reorder: 0.4, corrupt: 0.25, cut: 0.1)
    var link = stream(faults)
    var twin = stream(faults)
    var other = FaultyStream(seed: 7, from: 1, to: 0, faults: faults)
    let bytes = Array(repeating: 0 as UInt8, count: 1_000_000)
    let passages = passages(of: bytes, through: &link)
    #expect(passages == self.passages(of: bytes, through: &twin))
    #expect(passages != self.passages(of: bytes, through: &other))
    var flipped = 0
    for case .arrivals(let arrivals) in passages {
      #expect(arrivals.allSatisfy { (0...FaultyStream.delayMax).contains($0.delay) })
      #expect(arrivals.allSatisfy { (1...FaultyStream.chunkMax).contains($0.bytes.count) })
      flipped += (arrivals.first?.bytes ?? []).reduce(0) { $0 + $1.nonzeroBitCount }
    }
    let counts = link.counts
    #expect(counts.bytes == bytes.count && counts.chunks == passages.count)
    #expect((1_850...2_050).contains(counts.chunks))
    let whole = Double(counts.chunks)
    let rates: [(count: Int, chance: Double)] = [
      (counts.cuts, 0.1), (counts.lost, 0.9 * 0.2), (counts.corrupted, 0.72 * 0.25),
      (counts.duplicated, 0.72 * 0.3), (counts.reordered, 0.72 * 1.3 * 0.4),
    ]
    for (count, chance) in rates {
      #expect(abs(Double(count) / whole - chance) < 0.03, "\(count) of \(counts.chunks)")
    }
    #expect(flipped == counts.corrupted)
  }

  @Test("changes no other fault by the chance of one")
  func independence() {
    var plain = stream(LinkFaults(loss: 0.2, duplicate: 0, reorder: 0, corrupt: 0, cut: 0))
    var worse = stream(LinkFaults(loss: 0.2, duplicate: 0.5, reorder: 0.5, corrupt: 0.5, cut: 0))
    let bytes = Array(repeating: 0 as UInt8, count: 200_000)
    let lost = passages(of: bytes, through: &plain).map { $0 == .arrivals([]) }
    #expect(passages(of: bytes, through: &worse).map { $0 == .arrivals([]) } == lost)
    #expect(plain.counts.lost > 40)
  }

  @Test("is a perfect network without faults, and once it has healed")
  func healing() {
    var link = stream(LinkFaults(loss: 1, duplicate: 1, reorder: 1, corrupt: 1, cut: 0))
    let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(arrived(passages(of: bytes, through: &link)) == [])
    let lost = link.counts.lost
    #expect(lost == link.counts.chunks)
    link.heal()
    let passages = passages(of: bytes, through: &link)
    #expect(arrived(passages) == bytes)
    for case .arrivals(let arrivals) in passages { #expect(arrivals.map(\.delay) == [0]) }
    #expect(link.counts.lost == lost)
  }
}
