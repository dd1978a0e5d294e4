import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("The growth with the number of nodes")
struct GrowthTests {
  @Test("is measured on connected meshes of degree 4")
  func meshes() {
    for nodeCount in [9, 10] + GrowthExperiment.nodeCounts {
      let neighbours = ExperimentTopology.mesh(nodeCount: nodeCount).neighbours
      var reached: Set = [0]
      for _ in 0..<nodeCount { reached.formUnion(reached.flatMap { neighbours[$0] }) }
      #expect(reached.count == nodeCount)
      for (node, others) in neighbours.enumerated() {
        #expect(Set(others).count == 4 && !others.contains(node))
        #expect(others.allSatisfy { neighbours[$0].contains(node) })
      }
    }
    #expect(ExperimentTopology.mesh.neighbours.allSatisfy { Set($0).count == 4 })
    for topology in [ExperimentTopology.mesh, .tree] {
      for (node, others) in topology.neighbours.enumerated() {
        #expect(others.allSatisfy { topology.neighbours[$0].contains(node) })
      }
    }
  }

  @Test("is printed for people and for programs")
  func printed() {
    let outcome = ExperimentOutcome(
      cost: ExperimentCost(messages: 10, elements: 4_900, metadata: 20, bytes: 12_345),
      updates: 100, updatedElements: 100, roundsToConvergence: 2, hasConverged: true)
    let row = GrowthExperiment.Row(nodeCount: 16, crossings: 49, outcomes: [(.both, outcome)])
    let report = GrowthExperiment(seed: 3, rows: [row])
    #expect(report.hasConverged)
    let line = report.text { $1 }.split(separator: "\n").first { $0.hasPrefix("delta BP+RR") }
    let cells = line?.split(separator: " ").dropFirst(2).prefix(5).map(String.init)
    #expect(cells == ["49.0", "20", "10", "12,345", "123"])
    #expect(report.json.description.contains(#""algorithm":"delta-bp-rr","converged":true"#))
    let page = report.page(command: "the command")
    #expect(page.charts.map(\.title) == ["Bytes by algorithm: 16 nodes"])
    #expect((-0.0123).signedPercent == "-1.2 %")
    #expect(0.5.signedPercent == "+50.0 %")
    #expect((1.0 / 3).text(decimals: 2) == "0.33" && 0.004.text(decimals: 2) == "0.00")
    #expect([58.4, 1.264, 7_003.2].map(\.threeDigits) == ["58.4", "1.26", "7003"])
  }
}
