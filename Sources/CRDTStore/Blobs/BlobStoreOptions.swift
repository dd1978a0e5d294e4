/// How a store of blobs is opened.
public struct BlobStoreOptions: Sendable {
  /// The limits of each class; one that isn't listed has none.
  ///
  /// As usual: images 150 and 200 MB, documents 200 and 500 MB, uploads 800 MB and 1 GB,
  /// temporary ones 40 and 50 MB.
  public var limits: [BlobClass: BlobLimits] = [
    .images: BlobLimits(softBytes: 150_000_000, hardBytes: 200_000_000),
    .documents: BlobLimits(softBytes: 200_000_000, hardBytes: 500_000_000),
    .uploads: BlobLimits(softBytes: 800_000_000, hardBytes: 1_000_000_000),
    .temporary: BlobLimits(softBytes: 40_000_000, hardBytes: 50_000_000),
  ]
  /// How many bytes must be free on the disk; with fewer, caches may take half as much.
  public var freeBytesMin = 500_000_000
  /// Is told of what happens beside the app's calls, on some thread.
  public var onEvent: @Sendable (BlobEvent) -> Void = { _ in }
  /// The file system.
  public var fileSystem: any FileSystem = DiskFileSystem()

  /// Creates the options that are usual.
  public init() {}
}
