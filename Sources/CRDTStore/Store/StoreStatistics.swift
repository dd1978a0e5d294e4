/// How much there is in a store, and how much it has written since it was opened.
public struct StoreStatistics: Hashable, Sendable {
  /// How many segments there are, and how many bytes they have.
  public var segments = 0
  /// The bytes of all segments.
  public var segmentBytes = 0
  /// How many snapshots there are.
  public var snapshots = 0
  /// The bytes of all snapshots.
  public var snapshotBytes = 0
  /// The bytes of the segments whose changes no snapshot has.
  public var liveSegmentBytes = 0
  /// How many commits were made since the store was opened.
  public var commits: UInt64 = 0
  /// How many commits are not yet durable.
  public var pendingCommits: UInt64 = 0
  /// How many times commits were written: those of one time share a write.
  public var batchesWritten = 0
  /// How many bytes of commits were written.
  public var batchBytesWritten = 0
  /// How many bytes were written besides: snapshots, and the heads of segments.
  public var otherBytesWritten = 0
  /// How often something was sealed with the key, by this store since it is sealed with it.
  ///
  /// Where the key is used for other things as well, these are not counted: see ``Sealing``.
  public var seals: UInt64 = 0
}

extension StoreCore {
  var statistics: StoreStatistics {
    monitor.withLock {
      var statistics = StoreStatistics()
      statistics.segments = files.segments.count
      statistics.segmentBytes = files.segments.values.reduce(0, +)
      statistics.snapshots = files.snapshots.count
      statistics.snapshotBytes = files.snapshots.values.reduce(0, +)
      statistics.liveSegmentBytes = files.bytes(from: manifest.firstLiveSegment)
      statistics.commits = appended
      statistics.pendingCommits = appended - durable
      statistics.batchesWritten = files.batchesWritten
      statistics.batchBytesWritten = files.batchBytesWritten
      statistics.otherBytesWritten = files.otherBytesWritten
      statistics.seals = sealsBefore &+ (folder?.sealCount ?? 0)
      return statistics
    }
  }
}
