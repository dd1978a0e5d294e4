import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("A world of nodes in virtual time")
struct WorldTests {
  private func world(
    _ count: Int, _ topology: Topology = .mesh, _ conditions: LinkConditions = LinkConditions(),
    seed: UInt64 = 1
  ) -> World<CountingNode> {
    World(
      nodes: Array(repeating: CountingNode(), count: count),
      neighbours: topology.neighbours(among: count), conditions: conditions, seed: seed)
  }

  @Test("the queue gives what is due first, and in order what is due together")
  func queue() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      var queue = EventQueue()
      var expected: [(UInt64, Int)] = []
      for number in 0..<Int.random(in: 1...80, using: &random) {
        let time = UInt64.random(in: 0..<12, using: &random)
        queue.add(.tick, at: time, place: number)
        expected.append((time, number))
      }
      expected.sort { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }
      var found: [(UInt64, Int)] = []
      while let event = queue.next() { found.append((event.time, Int(event.place))) }
      #expect(found.map(\.0) == expected.map(\.0) && found.map(\.1) == expected.map(\.1))
    }
  }

  @Test("without faults every message arrives once, in order, after the delay")
  func faultless() {
    for topology in Topology.allCases {
      for bandwidth in [0, 1_000_000] {
        var conditions = LinkConditions()
        conditions.bandwidth = bandwidth
        var world = world(7, topology, conditions)
        for number in 0..<40 {
          world.edit(number % 7, number: UInt64(number), at: UInt64(number * 30))
        }
        world.run(until: 1_000_000)
        for place in 0..<7 {
          for (neighbour, other) in world.neighbours(of: place).enumerated() {
            let heard = world.nodes[place].heard.filter { $0.neighbour == neighbour }
            #expect(
              heard.map(\.number) == (0..<40).filter { $0 % 7 == other }.map { UInt64($0) })
            #expect(heard.allSatisfy { $0.time >= $0.number * 30 + 1_000 })
          }
        }
        #expect(world.counts.delivered == world.counts.sent && world.counts.dropped == 0)
      }
    }
  }

  @Test("a link carries no more than its bandwidth")
  func bandwidth() {
    var conditions = LinkConditions(delay: 0)
    conditions.bandwidth = 100_000
    var world = world(2, .line, conditions)
    for number in 0..<10 { world.edit(0, number: UInt64(number), at: 0) }
    world.run(until: 1_000_000)
    #expect(world.nodes[1].heard.map(\.time) == (1...10).map { UInt64($0 * 1_000) })
  }

  @Test("nodes are called once an interval, each with its own phase")
  func ticks() {
    var world = world(5)
    world.tickAll(every: 1_000)
    world.run(until: 10_000)
    for node in world.nodes {
      #expect(node.ticks.count == 10)
      #expect(zip(node.ticks, node.ticks.dropFirst()).allSatisfy { $1 - $0 == 1_000 })
    }
    #expect(Set(world.nodes.map { $0.ticks[0] }).count == 5)
  }

  @Test("every fault occurs about as often as it was asked for, and a seed repeats it")
  func faults() {
    var conditions = LinkConditions(jitter: 300)
    conditions.faults = LinkFaults(loss: 0.2, duplicate: 0.1, reorder: 0.15, corrupt: 0, cut: 0)
    func run(_ seed: UInt64) -> World<CountingNode> {
      var world = world(2, .line, conditions, seed: seed)
      for number in 0..<10_000 { world.edit(0, number: UInt64(number), at: UInt64(number * 50)) }
      world.run(until: 2_000_000)
      return world
    }
    let one = run(4)
    #expect((1_800...2_200).contains(one.counts.lost))
    #expect((650...950).contains(one.counts.duplicated))
    #expect((1_000...1_400).contains(one.counts.reordered))
    #expect(one.counts.delivered == 10_000 - one.counts.lost + one.counts.duplicated)
    let numbers = one.nodes[1].heard.map(\.number)
    #expect(numbers != numbers.sorted())
    #expect(run(4).nodes[1].heard.map(\.number) == numbers)
    #expect(run(5).nodes[1].heard.map(\.number) != numbers)
  }

  @Test("partitions, crashes, joins and leaves take connections away and give them back")
  func actions() {
    var world = world(3)
    world.keepAway(2)
    world.connectAll()
    #expect(world.nodes[0].connections == ["-1", "+0"])
    let groups = [[0], [1, 2]]
    world.act(.partition(groups, length: 2_000), at: 1_000)
    world.act(.join(2), at: 2_000)
    world.act(.crash(0, .crash, draw: 0, down: 1_500), at: 2_500)
    world.act(.leave(1), at: 5_000)
    world.edit(0, number: 1, at: 500)
    world.edit(0, number: 2, at: 1_500)
    world.edit(0, number: 3, at: 2_600)
    world.edit(0, number: 4, at: 4_500)
    world.edit(0, number: 5, at: 4_999)
    world.run(until: 10_000)
    #expect(world.nodes[0].connections == ["-1", "+0", "-0", "+0", "+1", "-0"])
    #expect(world.nodes[1].heard.isEmpty)
    #expect(world.nodes[2].heard.map(\.number) == [4, 5])
    #expect(world.counts.edits == 4)
    #expect(world.counts.joins == 1 && world.counts.leaves == 1 && world.counts.crashes == 1)
  }

  @Test("a node that is stopped does nothing, and gets what has come when it goes on")
  func pauses() {
    var world = world(3)
    world.tickAll(every: 100)
    world.connectAll()
    world.act(.pause(1, length: 8_000), at: 1_000)
    world.edit(0, number: 1, at: 500)
    for number in 2...5 { world.edit(0, number: UInt64(number), at: UInt64(number * 1_000)) }
    world.edit(1, number: 9, at: 4_000)
    // The connection ends before the last of them arrives, and begins anew meanwhile.
    world.act(.partition([[0]], length: 500), at: 5_500)
    world.run(until: 9_000)
    #expect(world.nodes[1].heard.isEmpty && world.isPaused(1))
    #expect(world.nodes[1].connections == ["+0", "+1", "-0"])
    #expect(world.nodes[0].connections == ["+0", "+1", "-0", "-1", "+1"])
    world.run(until: 12_000)
    let heard = world.nodes[1].heard
    #expect(heard.map(\.number) == [] && heard.allSatisfy { $0.time == 9_000 })
    #expect(world.nodes[1].connections == ["+0", "+1", "-0", "+0"])
    #expect(world.nodes[0].connections == ["+0", "+1", "-0", "-1", "+1", "+0"])
    #expect(!world.nodes[1].ticks.contains { (1_000..<9_000).contains($0) })
    #expect(world.nodes[2].ticks.contains { (1_000..<9_000).contains($0) })
    #expect(world.nodes[2].heard.map(\.number) == [1, 2, 3, 4])
    #expect(world.counts.edits == 5 && world.counts.pauses == 1)

    var whole = self.world(2, .line)
    whole.act(.pause(1, length: 8_000), at: 1_000)
    for number in 1...5 { whole.edit(0, number: UInt64(number), at: UInt64(number * 1_000)) }
    whole.edit(0, number: 6, at: 8_500)
    whole.run(until: 20_000)
    #expect(whole.nodes[1].heard.map(\.number) == [1, 2, 3, 4, 5, 6])
    #expect(whole.nodes[1].heard.prefix(5).allSatisfy { $0.time == 9_000 })
  }

  @Test("a clock may be ahead, drift and jump")
  func clocks() {
    var world = world(2)
    world.setClock(of: 1, to: WorldClock(offset: -50, drift: 1_000))
    world.act(.jump(1, 7_000), at: 5_000_000)
    world.run(until: 4_000_000)
    #expect(world.wallMilliseconds(of: 0) == WorldClock.beginning + 4_000)
    #expect(world.wallMilliseconds(of: 1) == WorldClock.beginning + 4_000 - 50 + 4)
    world.run(until: 6_000_000)
    #expect(world.wallMilliseconds(of: 1) == WorldClock.beginning + 6_000 + 6_950 + 6)
  }
}
