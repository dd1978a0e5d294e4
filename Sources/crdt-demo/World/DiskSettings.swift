import CRDTStore

/// What the disks of stores in a ``World`` are like, and how their stores use them.
struct DiskSettings: Equatable, Sendable {
  /// The chance that an edit doesn't wait for the disk.
  var relaxed = 0.25
  /// The chance that a call fails during an edit, or that the disk is full.
  var faults = 0.0
  /// How many bytes of changes a snapshot is written for; 0 for never.
  var compaction = 4_096
  /// Whether backups are made, now and then.
  var hasBackups = false

  /// How long relaxed commits wait at most, in microseconds: as a store's own thread
  /// has it.
  static let gatheringMicroseconds: UInt64 = 100_000

  /// Whether a store is to be compacted, by the rule of the store itself.
  func asksForCompaction(_ store: Store) -> Bool {
    guard compaction > 0 else { return false }
    let statistics = store.statistics
    return statistics.liveSegmentBytes >= max(compaction, statistics.snapshotBytes)
  }
}
