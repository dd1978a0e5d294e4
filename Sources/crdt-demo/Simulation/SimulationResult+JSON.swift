extension SimulationResult {
  /// The result as programs read it.
  var json: JSONValue {
    .object([
      ("converged", .bool(hasConverged)),
      ("digest", hasConverged ? .string(digests.first ?? "") : .null),
      ("seed", .unsigned(options.seed)),
      ("topology", .string(options.topology.rawValue)),
      ("operations", .integer(options.operations)),
      ("loss", .number(options.faults.loss)),
      ("duplicate", .number(options.faults.duplicate)),
      ("reorder", .number(options.faults.reorder)),
      ("free_running", .bool(options.isFreeRunning)),
      ("rounds", .integer(rounds)),
      ("heal_rounds", .integer(healRounds)),
      ("packets", .integer(links.packets)),
      ("packets_lost", .integer(links.lost)),
      ("packets_duplicated", .integer(links.duplicated)),
      ("packets_reordered", .integer(links.reordered)),
      ("differing_parts", .array(differingParts.map(JSONValue.string))),
      ("replicas", .array(reports.enumerated().map(Self.json))),
    ])
  }

  /// The digest of each part of a replica's state.
  private static func parts(_ report: ReplicaReport) -> [(name: String, value: JSONValue)] {
    zip(Workspace.partNames, report.digests).map { name, digest in
      (name: name, value: .string(digest))
    }
  }

  private static func json(_ index: Int, _ report: ReplicaReport) -> JSONValue {
    let counts = report.counts
    return .object([
      ("replica", .integer(index + 1)),
      ("operations", .integer(counts.operations)),
      ("deltas_sent", .integer(counts.deltasSent)),
      ("bytes_sent", .integer(counts.bytesSent)),
      ("deltas_received", .integer(counts.deltasReceived)),
      ("bytes_received", .integer(counts.bytesReceived)),
      ("duplicates", .integer(counts.duplicates)),
      ("gaps_met", .integer(counts.gapsMet)),
      ("gaps_filled", .integer(counts.gapsFilled)),
      ("time_ms", .number(Double(counts.microseconds) / 1_000)),
      ("digest", .string(report.digest)),
      ("parts", .object(parts(report))),
    ])
  }
}
