import CRDTKit

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
  /// Seals all blobs and what the store keeps beside them, and opens it; `nil` where nothing is
  /// sealed.
  ///
  /// No file is taken then that isn't sealed, or that was sealed for another blob, class or
  /// store: see ``adoptsUnsealedFiles``. A sealed store opens with the same key alone: see
  /// ``StoreError/sealed(path:)`` and ``StoreError/wrongKey(path:)``; for another one, see
  /// ``RotatingSealing`` and ``BlobStore/reseal()``.
  ///
  /// Names of files say nothing of blobs then: they are keyed digests (HMAC-SHA-256) of a blob's
  /// name and class, with a random secret of the store's that is itself only kept sealed. So
  /// nobody without the key can find out whether a picture that they have is among the blobs.
  /// What they can see is how many blobs there are of each class, how large each is, when it was
  /// written, and how many of them are pinned or noted as sent or not; and what they can do is to
  /// remove files, or put back older ones.
  public var sealing: (any Sealing)?
  /// Whether blobs that were put in without a sealing are taken over with one.
  ///
  /// They are sealed, all of them, before the store is open, and ``BlobStore/wasUnsealed`` says
  /// so. Set it for folders of earlier versions of an app: with it, who can write in the folder
  /// can put one of their own in the place of the app's. Nothing that isn't sealed is taken
  /// *beside* what is: that is told as ``BlobEvent/refused(path:)``.
  public var adoptsUnsealedFiles = false
  /// The file system.
  public var fileSystem: any FileSystem = DiskFileSystem()

  /// Makes random numbers: that of a sealed store, and its secret.
  package var makeNumber: @Sendable () -> UInt64 = { ReplicaID.random().rawValue }

  /// Creates the options that are usual.
  public init() {}
}
