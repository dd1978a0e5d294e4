import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator

@Suite("The algorithms of the experiments")
struct ExperimentAlgorithmTests {
  private static let kinds: [ExperimentWorkload.Kind] = [.set, .counter, .map(percent: 5)]

  @Test("all bring every node to the same state, on any connected graph")
  func convergence() {
    for seed in UInt64(0)..<(isLongRun ? 200 : 8) {
      var random = SeededGenerator(seed: seed)
      let topology = Self.graph(using: &random)
      for kind in Self.kinds {
        var workload = ExperimentWorkload(kind: kind, nodeCount: topology.nodeCount)
        workload.updatesPerNode = Int.random(in: 1...5, using: &random)
        let setting = ExperimentSetting(workload: workload, topology: topology, seed: seed)
        for algorithm in ExperimentAlgorithm.allCases {
          let outcome = setting.run(algorithm)
          #expect(
            outcome.hasConverged,
            "seed \(seed), \(algorithm), \(kind), \(topology.neighbours), \(workload)")
        }
      }
    }
  }

  /// A random tree, and some links more.
  private static func graph(using random: inout SeededGenerator) -> ExperimentTopology {
    let nodeCount = Int.random(in: 2...7, using: &random)
    var links = (1..<nodeCount).map { (Int.random(in: 0..<$0, using: &random), $0) }
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let (one, other) = (
        Int.random(in: 0..<nodeCount, using: &random), Int.random(in: 0..<nodeCount, using: &random)
      )
      let isThere = links.contains { ($0 == one && $1 == other) || ($0 == other && $1 == one) }
      if one != other && !isThere { links.append((one, other)) }
    }
    return ExperimentTopology(links: links)
  }

  @Test("with BP+RR, each element crosses every link once, and none back")
  func crossings() {
    for (topology, expected) in [(ExperimentTopology.tree, 14), (.mesh, 46)] {
      #expect(topology.crossings == expected)
      for seed in UInt64(1)...4 {
        let workload = ExperimentWorkload(kind: .set, nodeCount: 15, updatesPerNode: 20)
        let setting = ExperimentSetting(
          workload: workload, topology: topology, seed: seed, measuresBytes: false, drains: true)
        let cost = setting.run(.both).cost
        #expect(cost.elements == expected * 15 * 20, "seed \(seed)")
      }
    }
  }

  @Test("count what a message holds, and its frame")
  func costs() {
    let content = NumberSet([3, 4, 200])
    let delta = ExperimentMessage.delta(content, sequence: 300)
    // The frame, two bytes of sequence, a count, three differences: 3, 1 and 196.
    #expect(
      ExperimentCost(of: delta, measuringBytes: true)
        == ExperimentCost(messages: 1, elements: 3, metadata: 1, bytes: 9 + 2 + 1 + 1 + 1 + 2))
    let digest = ExperimentMessage<NumberSet>.digest([4, 0, 7])
    #expect(
      ExperimentCost(of: digest, measuringBytes: true)
        == ExperimentCost(messages: 1, elements: 0, metadata: 2, bytes: 9 + 1 + 2 * (8 + 1)))
    let matrix = ExperimentMessage<NumberSet>.matrix([[1, 0], [1, 2]])
    #expect(
      ExperimentCost(of: matrix, measuringBytes: true)
        == ExperimentCost(messages: 1, elements: 0, metadata: 5, bytes: 9 + 1 + 2 * 8 + 4))
  }

  @Test("send the whole state to whom the buffer no longer serves")
  func lateNeighbour() {
    let settings = DeltaSettings(avoidsBackPropagation: true, removesRedundancy: true)
    var node = DeltaSynchronizer<NumberSet>(
      node: 0, neighbours: [1, 2], nodeCount: 3, settings: settings)
    var box = MessageBox<ExperimentMessage<NumberSet>>()
    node.receive(.delta(NumberSet([5]), sequence: 1), from: 1, &box)
    #expect(box.removeAll().map(\.target) == [1])
    node.synchronize(&box)
    #expect(box.removeAll().map(\.target) == [2])
    node.receive(.acknowledgement(sequence: 1), from: 2, &box)
    node.synchronize(&box)
    let items = box.removeAll()
    #expect(items.map(\.target) == [1])
    guard case .delta(NumberSet([5]), sequence: 1)? = items.first?.message else {
      Issue.record("not the state: \(items)")
      return
    }
  }
}
