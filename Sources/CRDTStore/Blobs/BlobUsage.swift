extension BlobStore {
  /// The space that the blobs of a class take.
  public struct Usage: Hashable, Sendable {
    /// The number of blobs.
    public internal(set) var count = 0
    /// The number of bytes that they take.
    public internal(set) var bytes = 0
    /// The number of these bytes that aren't sent yet.
    public internal(set) var unsentBytes = 0
    /// The number of these bytes that are pinned.
    public internal(set) var pinnedBytes = 0
  }

  /// What a blob is for, which determines how long it is kept.
  @nonexhaustive
  public enum BlobClass: String, Hashable, Sendable, CaseIterable, Codable {
    /// Blobs that you can fetch again, such as pictures and thumbnails.
    ///
    /// The least recently used ones are removed.
    case images
    /// Blobs that the user keeps: none is removed automatically.
    case documents
    /// Blobs that wait to be sent: each is removed once it is sent and not pinned.
    case uploads
    /// Blobs that are needed now: they are removed when the app starts.
    case temporary

    /// Whether the least recently used blobs are removed if there is no more room.
    public var isCache: Bool { self == .images || self == .temporary }
  }

  /// The space that the blobs of a class may take.
  public struct Limits: Hashable, Sendable {
    /// The size from which the store sends an event; for a cache, the size that eviction
    /// leaves.
    public var softBytes: Int
    /// The maximum size.
    public var hardBytes: Int

    /// Creates limits.
    public init(softBytes: Int, hardBytes: Int) {
      self.softBytes = softBytes
      self.hardBytes = hardBytes
    }

    /// These limits, halved.
    var halved: BlobStore.Limits {
      BlobStore.Limits(softBytes: softBytes / 2, hardBytes: hardBytes / 2)
    }
  }

  /// Something that happened in a blob store besides the app's own calls.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The blobs of a class take more space than its soft limit: offer the user a clean-up.
    case softLimit(BlobStore.BlobClass, bytes: Int, max: Int)
    /// The least recently used blobs of a class were removed to make room.
    case evicted(BlobStore.BlobClass, count: Int, bytes: Int)
    /// The disk is nearly full: caches take half as much from now on.
    case diskNearlyFull(freeBytes: Int)
    /// A blob's bytes have changed since they were stored; they were moved to this path.
    case damaged(BlobID, path: String)
    /// The store refused a file in a sealed store's folder, and left it where it is.
    ///
    /// The file isn't sealed, or is sealed with another key, or for another store or blob.
    case refused(path: String)
  }
}
