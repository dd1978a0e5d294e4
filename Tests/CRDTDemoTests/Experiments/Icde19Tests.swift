import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("The ICDE'19 micro-benchmarks")
struct Icde19Tests {
  /// Rows that take little time without optimization; the longer run takes all.
  private static let fewRows: Set =
    isOptimized
    ? ["gset-tree", "gset-mesh", "gcounter-tree", "gcounter-mesh", "gmap10-tree"]
    : ["gset-tree", "gcounter-tree"]

  @Test("are reproduced: every ratio is within 5 % of the published one")
  func ratios() {
    let rows = isLongRun ? Icde19Row.all : Icde19Row.all.filter { Self.fewRows.contains($0.name) }
    for row in rows {
      for seed in UInt64(1)...(isLongRun ? 5 : 1) {
        let comparison = Icde19Comparison(
          row, seed: seed, algorithms: Icde19Row.algorithms + [.both], measuresBytes: false)
        #expect(comparison.hasConverged, "\(row.name), seed \(seed)")
        #expect(comparison.ratios.count == row.published.count)
        for ratio in comparison.ratios {
          #expect(
            ratio.isReproduced,
            "\(row.name), \(ratio.algorithm), seed \(seed): \(ratio.simulated) for \(ratio.published)"
          )
        }
      }
    }
  }

  @Test("stamp the share of keys that the paper says")
  func workload() {
    var random = SeededGenerator(seed: 3)
    for (percent, count) in [(10, 7), (30, 21), (60, 41), (100, 67)] {
      let workload = ExperimentWorkload(kind: .map(percent: percent), nodeCount: 15)
      for (node, keys) in [(0, 0..<67), (7, 469..<536), (14, 938..<1_000)] {
        let update = workload.update(by: node, at: 1, using: &random)
        guard case .stamp(let stamped, _) = update else {
          Issue.record("no stamps: \(update)")
          continue
        }
        #expect(stamped.count == min(count, keys.count))
        #expect(Set(stamped).count == stamped.count && stamped.allSatisfy(keys.contains))
      }
    }
  }

  @Test("are asked for by name, and refuse what isn't there")
  func options() throws {
    func options(_ words: [String]) throws -> ExperimentOptions {
      try ExperimentOptions(Arguments(words[...], of: ExperimentCommand.self))
    }
    var wanted = ExperimentOptions(name: .icde19)
    wanted.seed = 9
    wanted.row = "gmap30-mesh"
    wanted.json = true
    #expect(try options(["--seed=9", "icde19", "--only", "gmap30-mesh", "-j"]) == wanted)
    for option in ExperimentCommand.options {
      #expect(ExperimentCommand.help.contains("--\(option.name)"), "\(option.name)")
    }
    for name in ExperimentOptions.Name.allCases {
      #expect(ExperimentCommand.help.contains("\n  \(name.rawValue) "), "\(name)")
    }
    for words in [
      [], ["icde18"], ["icde19", "growth"],
      ["icde19", "--only=64"], ["growth", "--only=15"],
      ["icde19", "--seed=x"], ["icde19", "--report="],
    ] {
      #expect(throws: UsageError.self, "\(words)") { try options(words) }
    }
  }

  @Test("are printed as a table and as JSON")
  func printed() throws {
    let rows = Icde19Row.all.filter { $0.name == "gcounter-tree" }
    let comparisons = rows.map { Icde19Comparison($0, seed: 1) }
    let text = Icde19Report(seed: 1, comparisons: comparisons).text { $1 }
    #expect(text.contains("4 of 4 published ratios are met within 5 %"))
    #expect(text.contains("CRDTKit sessions"))
    let json = try DemoRun.run(["experiment", "icde19", "--only=gcounter-tree", "--json"])
    #expect(json.output.hasPrefix(#"{"experiment":"icde19","seed":1,"reproduced":true,"#))
    #expect(json.status == 0)
  }

  @Test("make a page with a chart for each row")
  func page() {
    let rows = Icde19Row.all.filter { ["gcounter-tree", "gset-tree"].contains($0.name) }
    let report = Icde19Report(seed: 3, comparisons: rows.map { Icde19Comparison($0, seed: 3) })
    let page = report.page(command: "the command")
    #expect(page.charts.map(\.id) == ["bytes-1", "bytes-2"])
    for (chart, comparison) in zip(page.charts, report.comparisons) {
      #expect(chart.title.hasSuffix(comparison.row.title))
      #expect(chart.series.map(\.name) == ExperimentAlgorithm.allCases.map(\.name))
      for (line, outcome) in zip(chart.series, comparison.outcomes) {
        #expect(line.points.last?.value == Double(outcome.outcome.cost.bytes))
      }
    }
    #expect(page.html.contains("the command"))
  }

  @Test("count as reproduced within 5 %, and not beyond")
  func bounds() {
    for (simulated, isReproduced) in [(1.04, true), (0.96, true), (1.06, false), (0.94, false)] {
      let ratio = Icde19Comparison.Ratio(
        algorithm: .state, simulated: simulated, published: 1)
      #expect(ratio.isReproduced == isReproduced, "\(simulated)")
    }
  }
}
