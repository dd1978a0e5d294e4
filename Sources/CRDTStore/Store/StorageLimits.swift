/// How much room a store and its blobs may take together.
public struct StorageLimits: Hashable, Sendable {
  /// From how many bytes on the user should be offered a clean-up.
  public var softBytes: Int
  /// From how many bytes on nothing more should be kept that can be had again.
  public var hardBytes: Int

  /// Creates limits: 500 MB and 1 GB, unless said otherwise.
  public init(softBytes: Int = 500_000_000, hardBytes: Int = 1_000_000_000) {
    self.softBytes = softBytes
    self.hardBytes = hardBytes
  }
}
