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
