import Toolkit

extension SimulationResult {
  private var scenario: Scenario { setup.scenario }

  /// The result as programs read it.
  var json: JSONValue {
    .object(setting + crashes + pausesMade + outcome)
  }

  private typealias Members = [(name: String, value: JSONValue)]

  private var setting: Members {
    [
      ("converged", .bool(hasConverged)),
      ("digest", hasConverged ? .string(groups.first.map { reports[$0[0]].digest } ?? "") : .null),
      ("seed", .unsigned(scenario.seed)),
      ("topology", .string(scenario.topology.description)),
      ("operations", .integer(scenario.operations)),
      ("loss", .number(scenario.links.faults.loss)),
      ("duplicate", .number(scenario.links.faults.duplicate)),
      ("reorder", .number(scenario.links.faults.reorder)),
      ("corrupt", .number(scenario.links.faults.corrupt)),
      ("cut", .number(scenario.links.faults.cut)),
      ("free_running", .bool(setup.isFreeRunning)),
    ]
  }

  private var crashes: Members {
    guard let crash = scenario.crash else { return [] }
    return [
      ("crash", .number(crash)),
      ("kills", .integer(kills.reduce(0, +))),
      ("lost", .integer(lost)),
    ]
  }

  private var pausesMade: Members {
    guard let pause = scenario.pause else { return [] }
    return [("pause", .number(pause)), ("pauses", .integer(pauses.reduce(0, +)))]
  }

  private var outcome: Members {
    [
      ("rounds", .integer(rounds)),
      ("heal_rounds", .integer(healRounds)),
      ("chunks", .integer(links.sent)),
      ("chunks_lost", .integer(links.lost)),
      ("chunks_duplicated", .integer(links.duplicated)),
      ("chunks_reordered", .integer(links.reordered)),
      ("chunks_corrupted", .integer(links.corrupted)),
      ("cuts", .integer(links.cuts)),
      ("connections", .integer(links.connections)),
      ("exact_sums", .bool(hasExactSums)),
      ("all_entries", .bool(hasAllEntries)),
      ("differing_parts", .array(differingParts.map(JSONValue.string))),
      ("replicas", .array(reports.enumerated().map(json))),
    ]
  }

  /// The digest of each part of a replica's document.
  private static func parts(_ report: ReplicaReport) -> [(name: String, value: JSONValue)] {
    zip(DocumentSummary.partNames, report.digests).map { name, digest in
      (name: name, value: .string(digest))
    }
  }

  private func json(_ index: Int, _ report: ReplicaReport) -> JSONValue {
    let counts = report.counts
    let crashes: Members = scenario.crash == nil ? [] : [("kills", .integer(kills[index]))]
    let members: Members = [
      ("replica", .integer(index + 1)),
      ("operations", .integer(counts.operations)),
      ("records_purged", .integer(counts.recordsPurged)),
      ("frames_sent", .integer(counts.framesSent)),
      ("bytes_sent", .integer(counts.bytesSent)),
      ("bytes_received", .integer(counts.bytesReceived)),
      ("streams", .integer(counts.connections)),
      ("streams_damaged", .integer(counts.streamsDamaged)),
      ("streams_stalled", .integer(counts.streamsStalled)),
      ("deltas_learned", .integer(counts.deltasLearned)),
      ("conflicts_open", .integer(report.conflictsOpen)),
      ("time_ms", .number(Double(counts.microseconds) / 1_000)),
      ("digest", .string(report.digest)),
      ("parts", .object(Self.parts(report))),
    ]
    return .object(members + crashes)
  }
}
