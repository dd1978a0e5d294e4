/// How a simulation went.
struct SimulationResult {
  var setup: ProcessScenario
  /// Rounds in all.
  var rounds: Int
  /// Rounds after the links healed.
  var healRounds: Int
  /// What each replica has told, in the end or when it left.
  var reports: [ReplicaReport]
  /// Who was there in the end, in groups that can reach each other.
  var groups: [[Int]]
  /// What happened on all links.
  var links: WorldCounts
  /// How many processes of each replica were killed.
  var kills: [Int] = []
  /// How many times each was stopped.
  var pauses: [Int] = []
  /// How many changes that a replica had told were durable were not there later.
  var lost = 0

  /// What all replicas did.
  var total: ReplicaCounts { reports.map(\.counts).reduce(ReplicaCounts(), +) }
}

extension ReplicaReport {
  /// The digest of the whole document, in 16 hexadecimal digits.
  var digest: String { digests.first ?? "" }
}
