import Testing

@testable import crdt_demo

@Suite("The result of a simulation")
struct SimulationResultTests {
  /// Two replicas that agree in all.
  private var converged: SimulationResult {
    let digests = DocumentSummary.partNames.map { "digest of \($0)" }
    let reports = (0..<2).map { place in
      ReplicaReport(
        digests: digests, contents: ["all"], conflictsOpen: 1, sums: [7, -3],
        added: [[5, 0], [2, -3]][place], entries: [4, 6], entriesMade: [4, 6][place])
    }
    return SimulationResult(
      options: SimulationOptions(), rounds: 9, healRounds: 4, reports: reports,
      links: FaultyStream.Counts(), connections: 12)
  }

  private func verdict(_ result: SimulationResult) -> String {
    result.text { $1 }.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test("is that all have converged where they agree and nothing is missing")
  func success() {
    #expect(converged.hasConverged)
    #expect(verdict(converged) == "converged: all 2 replicas hold digest digest of encoding")
  }

  @Test("names each part in which they differ, if only one")
  func parts() {
    for (part, name) in DocumentSummary.partNames.enumerated() {
      var result = converged
      result.reports[1].digests[part] = "another"
      #expect(!result.hasConverged, "\(name)")
      #expect(verdict(result).hasSuffix("; they differ in \(name)"), "\(verdict(result))")
    }
  }

  @Test("is that they diverged where all agree on a wrong sum or lack an entry")
  func losses() {
    for place in 0..<2 {
      var inexact = converged
      for replica in 0..<2 { inexact.reports[replica].sums[place] += 1 }
      #expect(!inexact.hasConverged && inexact.differingParts.isEmpty)
      #expect(verdict(inexact).hasSuffix("; counters are not exact"))
      var lacking = converged
      for replica in 0..<2 { lacking.reports[replica].entries[place] -= 1 }
      #expect(!lacking.hasConverged && lacking.differingParts.isEmpty)
      #expect(verdict(lacking).hasSuffix("; entries are missing"))
      #expect("\(lacking.json)".contains(#""converged":false,"digest":null,"#))
    }
  }
}
