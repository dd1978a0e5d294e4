import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Topologies")
struct TopologyTests {
  private static let shapes: [Topology] =
    Topology.allCases + [
      .degree(2), .degree(3), .degree(4), .degree(7), .random(degree: 1, seed: 1),
      .random(degree: 3, seed: 9),
    ]

  @Test("link all, both ways, in ascending order")
  func connected() {
    for topology in Self.shapes {
      for count in [2, 3, 5, 8, 9, 16, 50] {
        if topology.problem(among: count) != nil { continue }
        let neighbours = topology.neighbours(among: count)
        var reached: Set = [0]
        for _ in 0..<count { reached.formUnion(reached.flatMap { neighbours[$0] }) }
        #expect(reached.count == count, "\(topology) of \(count)")
        for (place, others) in neighbours.enumerated() {
          #expect(others == Set(others).sorted() && !others.contains(place), "\(topology)")
          #expect(others.allSatisfy { neighbours[$0].contains(place) }, "\(topology) of \(count)")
        }
      }
    }
  }

  @Test("have the degrees that they were asked for")
  func degrees() {
    for count in [6, 8, 20] {
      for degree in 2..<5 {
        #expect(
          Topology.degree(degree).neighbours(among: count).allSatisfy { $0.count == degree })
      }
    }
    let random = Topology.random(degree: 4, seed: 3).neighbours(among: 40)
    #expect(random.reduce(0) { $0 + $1.count } == 160)
    #expect(random == Topology.random(degree: 4, seed: 3).neighbours(among: 40))
    #expect(random != Topology.random(degree: 4, seed: 4).neighbours(among: 40))
    #expect(
      Topology.tree.neighbours(among: 7) == [[1, 2], [0, 3, 4], [0, 5, 6], [1], [1], [2], [2]])
    #expect(Topology.grid.neighbours(among: 5) == [[1, 3], [0, 2, 4], [1], [0, 4], [1, 3]])
  }

  @Test("read as they are written, and nothing else")
  func texts() {
    for topology in Self.shapes + [.edges([.init(one: 0, other: 1), .init(one: 1, other: 2)])] {
      #expect(Topology(topology.description) == topology)
    }
    for text in [
      "", "knot", "mesh:", "mesh:1", "mesh:x", "mesh:1000", "mesh:2:3", "random", "random:0",
      "random:2:x", "random:2:3:4", "edges:", "edges:0", "edges:0-", "edges:0-1,", "edges:-1-2",
      "ring:2",
    ] {
      #expect(Topology(text) == nil, "\(text)")
    }
  }

  @Test("say what is wrong with them")
  func problems() {
    #expect(Topology.degree(4).problem(among: 4) != nil)
    #expect(Topology("edges:0-1,1-2")?.problem(among: 3) == nil)
    #expect(Topology("edges:0-1")?.problem(among: 3) == "the links don't reach all replicas")
    #expect(Topology("edges:0-3")?.problem(among: 3) != nil)
    #expect(Topology("edges:0-1,1-1")?.problem(among: 2) != nil)
  }

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
}
