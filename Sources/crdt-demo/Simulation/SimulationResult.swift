/// How a simulation went.
struct SimulationResult {
  var options: SimulationOptions
  /// Rounds in all.
  var rounds: Int
  /// Rounds after the links healed.
  var healRounds: Int
  var reports: [ReplicaReport]
  var links: FaultyStream.Counts
  /// How many connections there were on all links.
  var connections: Int
  /// How many processes of each replica were killed.
  var kills: [Int] = []
  /// How many changes that a replica had told were durable were not there later.
  var lost = 0

  /// Whether all replicas hold the same document, byte for byte, read it alike, and
  /// nothing that was written is missing from it.
  var hasConverged: Bool {
    differingParts.isEmpty && hasExactSums && hasAllEntries && lost == 0
  }

  /// The digest of each replica's whole document.
  var digests: [String] { reports.map(\.digest) }

  /// The parts of the document in which the replicas differ.
  var differingParts: [String] {
    DocumentSummary.partNames.indices.filter { part in
      Set(reports.map { part < $0.digests.count ? $0.digests[part] : "" }).count > 1
    }.map { DocumentSummary.partNames[$0] }
  }

  /// Whether the ledger's counters hold every replica's additions, once.
  var hasExactSums: Bool {
    let empty = Array(repeating: 0, count: reports.first?.added.count ?? 0)
    let expected = reports.reduce(empty) { sums, report in zip(sums, report.added).map { $0 + $1 } }
    return reports.allSatisfy { $0.sums == expected }
  }

  /// Whether every replica holds all entries that any has made in the ledger.
  var hasAllEntries: Bool {
    let made = reports.map(\.entriesMade)
    return reports.allSatisfy { $0.entries == made }
  }

  /// What all replicas did.
  var total: ReplicaCounts { reports.map(\.counts).reduce(ReplicaCounts(), +) }
}

extension ReplicaReport {
  /// The digest of the whole document, in 16 hexadecimal digits.
  var digest: String { digests.first ?? "" }
}
