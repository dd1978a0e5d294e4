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
