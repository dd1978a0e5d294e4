/// How much room the blobs of a class take.
public struct BlobUsage: Hashable, Sendable {
  /// How many blobs there are.
  public internal(set) var count = 0
  /// How many bytes they take.
  public internal(set) var bytes = 0
  /// How many of these bytes aren't sent yet.
  public internal(set) var unsentBytes = 0
  /// How many of these bytes are pinned.
  public internal(set) var pinnedBytes = 0
}

/// What a blob is kept for, on which it depends how long.
public enum BlobClass: String, Hashable, Sendable, CaseIterable, Codable {
  /// What can be had again: pictures, thumbnails. The least recently used go.
  case images
  /// What the user keeps: nothing goes by itself.
  case documents
  /// What is to be sent: it goes when it was, or when it is no longer pinned then.
  case uploads
  /// What is needed now: it goes when the app starts.
  case temporary

  /// Whether the least recently used go when there is no more room.
  public var isCache: Bool { self == .images || self == .temporary }
}

/// How much room the blobs of a class may take.
public struct BlobLimits: Hashable, Sendable {
  /// How many bytes are worth a word; of a cache, how many are left when there is no
  /// more room.
  public var softBytes: Int
  /// How many bytes there are at most.
  public var hardBytes: Int

  /// Creates limits.
  public init(softBytes: Int, hardBytes: Int) {
    self.softBytes = softBytes
    self.hardBytes = hardBytes
  }

  /// The same limits for half as much.
  var halved: BlobLimits { BlobLimits(softBytes: softBytes / 2, hardBytes: hardBytes / 2) }
}

/// Something that happened in a store of blobs beside the app's calls.
public enum BlobEvent: Hashable, Sendable {
  /// The blobs of a class take more room than its soft limit: a clean-up may be offered.
  case softLimit(BlobClass, bytes: Int, max: Int)
  /// The least recently used blobs of a class were removed to make room.
  case evicted(BlobClass, count: Int, bytes: Int)
  /// The disk has little room left: caches take half as much from now on.
  case diskNearlyFull(freeBytes: Int)
  /// A blob's bytes are no longer those that were put in; they were moved to a path.
  case damaged(BlobID, path: String)
  /// A file in a sealed store's folder was not taken, and left where it is: it isn't sealed, or
  /// not with this key, or for another store or blob.
  case refused(path: String)
}
