import CRDTTestSupport
import Testing

@testable import crdt_demo

@Suite("The ICDE'19 micro-benchmarks")
struct Icde19Tests {
  /// Rows that take little time without optimization; the longer run takes all.
  private static let fewRows: Set = [
    "gset-tree", "gset-mesh", "gcounter-tree", "gcounter-mesh", "gmap10-tree",
  ]

  @Test("are reproduced: every ratio is within 5 % of the published one")
  func ratios() {
    let rows = isLongRun ? Icde19Row.all : Icde19Row.all.filter { Self.fewRows.contains($0.name) }
    for row in rows {
      for seed in UInt64(1)...(isLongRun ? 20 : 1) {
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
    var random = SplitMix64(seed: 3)
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
    let options = try Options(["experiment", "--seed=9", "icde19", "--only", "gmap30-mesh", "-j"])
    var wanted = ExperimentOptions(name: .icde19)
    wanted.seed = 9
    wanted.row = "gmap30-mesh"
    wanted.json = true
    #expect(options == .experiment(wanted))
    for words in [
      ["experiment"], ["experiment", "icde18"], ["experiment", "icde19", "growth"],
      ["experiment", "icde19", "--only=64"], ["experiment", "growth", "--only=15"],
      ["experiment", "icde19", "--seed=x"],
    ] {
      #expect(throws: UsageError.self, "\(words)") { try Options(words) }
    }
  }

  @Test("are printed as a table and as JSON")
  func printed() throws {
    let words = ["experiment", "icde19", "--only=gcounter-tree"]
    let table = try DemoRun.run(words)
    #expect(table.status == 0)
    #expect(table.output.contains("4 of 4 published ratios are met within 5 %"))
    #expect(table.output.contains("CRDTKit sessions"))
    let json = try DemoRun.run(words + ["--json"])
    #expect(json.output.hasPrefix(#"{"experiment":"icde19","seed":1,"reproduced":true,"#))
    #expect(json.status == 0)
  }
}
