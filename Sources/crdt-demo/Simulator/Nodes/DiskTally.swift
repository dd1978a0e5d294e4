import Toolkit

/// The counts of disk faults in a ``World``.
struct DiskTally: Equatable, Sendable, CustomStringConvertible {
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
    ] + DiskPutting.allCases.map { ("store \($0.rawValue)", puttings[$0] ?? 0) }
  }

  /// What was written, in words.
  var description: String {
    "\(commits.grouped) durable commits, \(relaxed.grouped) relaxed, "
      + "\(compactions.counted("compaction")), \(backups.counted("backup"))"
  }

  static func += (left: inout Self, right: Self) {
    left.commits += right.commits
    left.relaxed += right.relaxed
    left.compactions += right.compactions
    left.backups += right.backups
    left.kills += right.kills
    left.cuts += right.cuts
    left.cutsInCommits += right.cutsInCommits
    left.cutsInExchanges += right.cutsInExchanges
    left.cutsInCompactions += right.cutsInCompactions
    left.cutsInRecoveries += right.cutsInRecoveries
    left.failures += right.failures
    left.fullDisks += right.fullDisks
    left.copies += right.copies
    left.puttings.merge(right.puttings, uniquingKeysWith: +)
    left.lostRelaxed += right.lostRelaxed
  }
}
