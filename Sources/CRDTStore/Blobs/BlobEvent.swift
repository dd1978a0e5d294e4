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
