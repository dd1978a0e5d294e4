import Toolkit

/// The counts of disk faults in a ``World``.
struct DiskTally: Tally, Equatable, Sendable, CustomStringConvertible {
  /// Commits that were acknowledged as durable: edits, and what peers taught.
  var commits = 0
  /// Commits that were acknowledged before they were durable.
  var relaxed = 0
  var compactions = 0
  var backups = 0
  /// How often the process ended and the machine went on.
  var kills = 0
  /// Power cuts between two things that a store did.
  var cuts = 0
  /// Those at a call of the disk within a commit, and so on.
  var cutsInCommits = 0
  var cutsInExchanges = 0
  var cutsInCompactions = 0
  var cutsInRecoveries = 0
  var failures = 0
  var fullDisks = 0
  /// How often an older copy was put in a store's place, and how.
  var puttings: [DiskPutting: Int] = [:]
  /// How often a disk was copied, and both were used.
  var copies = 0
  /// Relaxed commits that a crash took, as it may.
  var lostRelaxed = 0
}

extension DiskTally {
  /// The classes of faults with their counts.
  var faults: [(name: String, count: Int)] {
    [
      ("killed process", kills), ("power cut", cuts), ("power cut in a commit", cutsInCommits),
      ("power cut in an exchange", cutsInExchanges),
      ("power cut in a compaction", cutsInCompactions),
      ("power cut in a recovery", cutsInRecoveries), ("failing disk", failures),
      ("full disk", fullDisks), ("lost relaxed commit", lostRelaxed),
      ("copied store", copies),
    ] + DiskPutting.allCases.map { ("store \($0.rawValue)", self[$0]) }
  }

  /// What was written, in words.
  var description: String {
    "\(commits.grouped) durable commits, \(relaxed.grouped) relaxed, "
      + "\(compactions.counted("compaction")), \(backups.counted("backup"))"
  }

  static var fields: [WritableKeyPath<Self, Int>] {
    [
      \.commits, \.relaxed, \.compactions, \.backups, \.kills, \.cuts, \.cutsInCommits,
      \.cutsInExchanges, \.cutsInCompactions, \.cutsInRecoveries, \.failures, \.fullDisks, \.copies,
      \.lostRelaxed,
    ] + DiskPutting.allCases.map { \.[$0] }
  }

  /// The number of times that a store was replaced in this way.
  subscript(putting: DiskPutting) -> Int {
    get { puttings[putting] ?? 0 }
    set { puttings[putting] = newValue == 0 ? nil : newValue }
  }
}
