/// How a simulation went.
struct SimulationResult {
  var options: SimulationOptions
  /// Rounds in all.
  var rounds: Int
  /// Rounds after the links healed.
  var healRounds: Int
  var reports: [ReplicaReport]
  var links: FaultyLink.Counts

  /// Whether all replicas hold the same state, byte for byte, and the counters
  /// hold exactly what was added to them.
  var hasConverged: Bool {
    digests.allSatisfy { $0 == digests.first } && reports.allSatisfy { $0.sums == expectedSums }
  }

  /// The digest of each replica's whole state.
  var digests: [String] { reports.map(\.digest) }

  /// What the shared counters must hold: every replica's additions, once.
  var expectedSums: [Int] {
    let empty = Array(repeating: 0, count: reports.first?.added.count ?? 0)
    return reports.reduce(empty) { sums, report in zip(sums, report.added).map { $0 + $1 } }
  }

  /// The parts of the state in which the replicas differ.
  var differingParts: [String] {
    Workspace.partNames.indices.filter { part in
      Set(reports.map { part < $0.digests.count ? $0.digests[part] : "" }).count > 1
    }.map { Workspace.partNames[$0] }
  }

  /// What all replicas did.
  var total: ReplicaCounts { reports.map(\.counts).reduce(ReplicaCounts(), +) }
}

extension ReplicaReport {
  /// The digest of the whole state, in 16 hexadecimal digits.
  var digest: String {
    String(SHA256.hexadecimalDigest(of: Array(digests.joined().utf8)).prefix(16))
  }
}
