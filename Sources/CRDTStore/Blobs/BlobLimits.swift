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
