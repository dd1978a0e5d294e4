import CRDTKit
import Testing

@testable import CRDTSimulator
@testable import Toolkit
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
      setup: ProcessScenario(), rounds: 9, healRounds: 4, reports: reports,
      groups: [[0, 1]], links: WorldCounts())
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

  /// A third replica left when it had made more than the others had heard of.
  private func withLeaver(heard: UInt64) -> SimulationResult {
    var result = converged
    let marks = [
      LedgerMark(counter: 2, added: [1, 0], entriesMade: 0),
      LedgerMark(counter: 5, added: [1, 9], entriesMade: 2),
    ]
    result.reports.append(
      ReplicaReport(digests: ["other"], sums: [0, 9], added: [1, 9], entries: [], marks: marks))
    for place in 0..<2 {
      result.reports[place].version = [SharedDocument.replica(2): heard]
      result.reports[place].entries.append(0)
    }
    return result
  }

  @Test("counts of one who left what the others have heard, no more and no less")
  func leaver() {
    for (heard, sums, entries) in [
      (0, [7, -3], 0), (1, [7, -3], 0), (2, [8, -3], 0), (4, [8, -3], 0), (5, [8, 6], 2),
      (9, [8, 6], 2),
    ] as [(UInt64, [Int], Int)] {
      var result = withLeaver(heard: heard)
      for place in 0..<2 {
        result.reports[place].sums = sums
        result.reports[place].entries[2] = entries
      }
      #expect(result.hasConverged, "\(heard)")
      #expect(
        verdict(result) == "converged: replicas 1, 2 hold digest digest of encoding", "\(heard)")
      var wrong = result
      for place in 0..<2 { wrong.reports[place].sums[0] += 1 }
      #expect(!wrong.hasExactSums && wrong.hasAllEntries)
      wrong = result
      for place in 0..<2 { wrong.reports[place].entries[2] += 1 }
      #expect(wrong.hasExactSums && !wrong.hasAllEntries)
    }
  }

  @Test("names many in a row by the first and the last")
  func names() {
    let cases = [
      ([2], "3"), ([0, 1, 3], "1, 2, 4"), ([0, 1, 2, 3], "1, 2, 3, 4"),
      ([0, 1, 2, 3, 4, 8], "1 to 5, 9"), ([1, 4, 5, 6, 7, 8, 9], "2, 5 to 10"),
    ]
    for (group, names) in cases { #expect(SimulationResult.names(of: group) == names) }
  }

  @Test("judges those alone who can't reach each other")
  func groups() {
    var result = converged
    result.reports[1].digests[0] = "another"
    #expect(!result.hasConverged)
    result.groups = [[0], [1]]
    #expect(result.differingParts == [])
    #expect(!result.hasExactSums)
    for place in 0..<2 {
      result.reports[place].sums = result.reports[place].added
      result.reports[place].entries = place == 0 ? [4, 0] : [0, 6]
    }
    #expect(
      verdict(result)
        == "converged: replica 1 holds digest digest of encoding; replica 2 holds digest another")
  }
}
