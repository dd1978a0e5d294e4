/// How much room a store and its blobs take together.
///
///     let usage = try await StorageUsage(of: store, and: blobs)
///     switch usage.level(under: StorageLimits()) {
///     case .within: break
///     case .soft: offerCleanUp(usage.reclaimableBytes)
///     case .hard: try await blobs.clearCache()
///     }
///
/// Each has limits of its own besides, which are kept to as things are written:
/// ``StoreOptions/hardLimitBytes`` and ``BlobStoreOptions/limits``. Those of all together
/// are for the app to act on: only its user can say what is to go.
public struct StorageUsage: Hashable, Sendable {
  /// The bytes of the store's snapshots and segments.
  public var recordBytes: Int
  /// What the blobs take, by their classes.
  public var blobs: [BlobClass: BlobUsage]

  /// Creates the sum of what is known of a store and of its blobs.
  public init(_ statistics: StoreStatistics, _ blobs: [BlobClass: BlobUsage] = [:]) {
    recordBytes = statistics.snapshotBytes + statistics.segmentBytes
    self.blobs = blobs
  }

  /// Asks a store and a store of blobs.
  ///
  /// - Complexity: O(n) in the blobs.
  /// - Throws: ``StoreError`` if the blobs' store was closed.
  public init(of store: Store, and blobs: BlobStore) async throws(StoreError) {
    self.init(store.statistics, try await blobs.usage())
  }
}

extension StorageUsage {
  /// All of it.
  public var bytes: Int { blobs.values.reduce(recordBytes) { $0 + $1.bytes } }

  /// What ``BlobStore/clearCache()`` frees at least.
  public var reclaimableBytes: Int {
    blobs.filter(\.key.isCache).values.reduce(0) {
      $0 + max(0, $1.bytes - $1.unsentBytes - $1.pinnedBytes)
    }
  }

  /// How far a use of room has gone.
  public enum Level: Hashable, Sendable {
    /// It is no matter yet.
    case within
    /// The user should be offered a clean-up.
    case soft
    /// Nothing more should be kept that can be had again.
    case hard
  }

  /// How far it has gone.
  public func level(under limits: StorageLimits) -> Level {
    if bytes >= limits.hardBytes { return .hard }
    return bytes >= limits.softBytes ? .soft : .within
  }
}

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
