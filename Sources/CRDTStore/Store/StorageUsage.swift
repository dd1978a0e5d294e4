extension Store {
  /// How much room a store and its blobs take together.
  ///
  ///     let usage = try await Store.StorageUsage(of: store, and: blobs)
  ///     switch usage.level(under: Store.StorageLimits()) {
  ///     case .within: break
  ///     case .soft: offerCleanUp(usage.reclaimableBytes)
  ///     case .hard: try await blobs.clearCache()
  ///     }
  ///
  /// The store and the blobs also have limits of their own, ``Store/Options/hardLimitBytes``
  /// and ``BlobStore/Options/limits``, which they enforce as they write. The limits for the
  /// total are for the app to act on: only its user can say what to remove.
  public struct StorageUsage: Hashable, Sendable {
    /// The bytes of the store's snapshots and segments.
    public var recordBytes: Int
    /// The space that blobs take, by class.
    public var blobs: [BlobStore.BlobClass: BlobStore.Usage]

    /// Creates the usage from the statistics of a store and of its blobs.
    public init(
      _ statistics: Store.Statistics, _ blobs: [BlobStore.BlobClass: BlobStore.Usage] = [:]
    ) {
      recordBytes = statistics.snapshotBytes + statistics.segmentBytes
      self.blobs = blobs
    }

    /// Reads the usage of a store and of a blob store.
    ///
    /// - Complexity: O(number of blobs).
    /// - Throws: ``StoreError`` if the blob store is closed.
    public init(of store: Store, and blobs: BlobStore) async throws(StoreError) {
      self.init(store.statistics, try await blobs.usage())
    }
  }
}

extension Store.StorageUsage {
  /// The total.
  public var bytes: Int { blobs.values.reduce(recordBytes) { $0 + $1.bytes } }

  /// The number of bytes that ``BlobStore/clearCache()`` frees at least.
  public var reclaimableBytes: Int {
    blobs.filter(\.key.isCache).values.reduce(0) {
      $0 + max(0, $1.bytes - $1.unsentBytes - $1.pinnedBytes)
    }
  }

  /// How usage compares to the limits.
  public enum Level: Hashable, Sendable {
    /// Below both limits: there is nothing to do.
    case within
    /// Offer the user a clean-up.
    case soft
    /// Keep nothing more that you can fetch again.
    case hard
  }

  /// Compares the total to the limits.
  public func level(under limits: Store.StorageLimits) -> Level {
    if bytes >= limits.hardBytes { return .hard }
    return bytes >= limits.softBytes ? .soft : .within
  }
}

extension Store {
  /// The size of a store's files, and how much it has written since it was opened.
  public struct Statistics: Hashable, Sendable {
    /// The number of segments.
    public var segments = 0
    /// The bytes of all segments.
    public var segmentBytes = 0
    /// The number of snapshots.
    public var snapshots = 0
    /// The bytes of all snapshots.
    public var snapshotBytes = 0
    /// The bytes of the segments whose changes are in no snapshot.
    public var liveSegmentBytes = 0
    /// The number of commits made since the store was opened.
    public var commits: UInt64 = 0
    /// The number of commits that are not yet durable.
    public var pendingCommits: UInt64 = 0
    /// The number of writes of commits: commits made at the same time share one.
    public var batchesWritten = 0
    /// The number of bytes of commits that were written.
    public var batchBytesWritten = 0
    /// The number of other bytes that were written: snapshots, and the heads of segments.
    public var otherBytesWritten = 0
    /// The number of times this store has sealed something with its present key.
    ///
    /// If you use the key for other things too, their seals are not counted: see ``Sealing``.
    public var seals: UInt64 = 0
  }
}

extension StoreCore {
  var statistics: Store.Statistics {
    monitor.withLock {
      var statistics = Store.Statistics()
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
