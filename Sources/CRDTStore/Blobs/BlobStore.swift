import CRDTKit

/// Keeps blobs, as pictures and attachments, in a folder of files.
///
///     let blobs = try await BlobStore.open(at: "notes.blobs")
///     let id = try await blobs.put(photo, as: .images, isSent: false)
///     note.photo = id                        // the record keeps the name
///     …
///     try await blobs.markSent(id)           // from now on it may make room for others
///
/// A blob's name is the digest of its bytes, so that the same bytes are kept once a
/// class, and damage is found whenever they are read: damaged bytes are set aside and
/// never returned. What ``put(_:as:isSent:)`` has returned for survives a power cut.
/// Blobs that aren't sent or are pinned never go by themselves.
///
/// With ``BlobStoreOptions/sealing`` all files are sealed, and their names say nothing of the
/// blobs. Without, they can be read by whoever can read the folder, and a file's name is the
/// digest of its bytes.
///
/// Methods may be called from any task, are done one after the other on threads that
/// are none of Swift's tasks, and go on to their end when the task is cancelled. One
/// process at a time has the folder open. A store that nobody holds any more is closed.
public final class BlobStore: Sendable {
  private let core: BlobCore

  private init(_ core: BlobCore) {
    self.core = core
  }

  deinit {
    core.close()
  }

  /// Opens the folder at a path, which is made where there is none.
  ///
  /// Temporary blobs that were sent and aren't pinned are removed.
  ///
  /// - Complexity: O(n) in the blobs.
  /// - Throws: ``StoreError``.
  public static func open(
    at path: String, options: BlobStoreOptions = BlobStoreOptions()
  ) async throws(StoreError) -> BlobStore {
    BlobStore(
      try await StoreThread.run { () throws(StoreError) in try BlobCore(path, options) })
  }

  /// Puts a blob in, durably, and gives its name.
  ///
  /// Where the same bytes are said to be there, that is looked at: if they are damaged or
  /// gone, they are written anew.
  ///
  /// Where its class is a cache and has no more room, the least recently used make some.
  ///
  /// - Parameters:
  ///   - bytes: The blob.
  ///   - blobClass: What it is kept for.
  ///   - isSent: Whether it may be lost, for it can be had again. A blob among the
  ///     uploads never is sent yet.
  /// - Returns: The blob's name.
  /// - Complexity: O(n) in the bytes.
  /// - Throws: ``StoreError``: `storageLimit` or `tooLarge` where the class has no room
  ///   for it, `noSpace` where the disk has none.
  @discardableResult
  public func put(
    _ bytes: [UInt8], as blobClass: BlobClass, isSent: Bool = true
  ) async throws(StoreError) -> BlobID {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.put(bytes, as: blobClass, isSent: isSent)
    }
  }

  /// The bytes of a blob; `nil` if there is none of the name.
  ///
  /// - Complexity: O(n) in the bytes.
  /// - Throws: ``StoreError``: `damaged` where the bytes are no longer what they were.
  ///   They were set aside then, and the blob can be put in anew. `wrongKey` where its file is
  ///   whole, and was sealed with another key, or for another blob or store: it was left there.
  public func get(_ id: BlobID) async throws(StoreError) -> [UInt8]? {
    try await StoreThread.run { [core] () throws(StoreError) in try core.get(id) }
  }

  /// Whether there is a blob of a name.
  ///
  /// - Throws: ``StoreError`` if the store was closed.
  public func contains(_ id: BlobID) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in !core.keys(id).isEmpty }
    }
  }

  /// Says that a blob was sent: uploads are removed, unless they are pinned, and others may
  /// make room from now on.
  ///
  /// - Throws: ``StoreError``.
  public func markSent(_ id: BlobID) async throws(StoreError) {
    try await StoreThread.run { [core] () throws(StoreError) in try core.markSent(id) }
  }

  /// The names of the blobs that aren't sent yet, in their order.
  ///
  /// - Complexity: O(n log n) in the blobs.
  /// - Throws: ``StoreError`` if the store was closed.
  public func unsent() async throws(StoreError) -> [BlobID] {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in
        let ids = core.entries.filter(\.value.isUnsent).map(\.key.id)
        return Set(ids).sorted { $0.text < $1.text }
      }
    }
  }

  /// Keeps a blob from going by itself; says whether there is one.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func pin(_ id: BlobID) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in try core.setPinned(id, true) }
  }

  /// Lets a blob go by itself again; says whether there is one.
  ///
  /// An upload that was sent goes at once.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func unpin(_ id: BlobID) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in try core.setPinned(id, false) }
  }

  /// Removes a blob, pinned or not; says whether it is gone.
  ///
  /// It stays where it isn't sent yet, unless it is to go even then.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func remove(_ id: BlobID, evenIfUnsent: Bool = false) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.remove(id, evenIfUnsent: evenIfUnsent)
    }
  }

  /// Removes all images and temporary blobs that are sent and not pinned, and says how
  /// many bytes they took.
  ///
  /// - Complexity: O(n) in the blobs.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func clearCache() async throws(StoreError) -> Int {
    try await StoreThread.run { [core] () throws(StoreError) in try core.clearCache() }
  }

  /// How much room the blobs take, by their classes.
  ///
  /// - Complexity: O(n) in the blobs.
  /// - Throws: ``StoreError`` if the store was closed.
  public func usage() async throws(StoreError) -> [BlobClass: BlobUsage] {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in core.usage() }
    }
  }

  /// Whether blobs were taken over that were not sealed, though the store is to be: see
  /// ``BlobStoreOptions/adoptsUnsealedFiles``.
  public var wasUnsealed: Bool { core.wasUnsealed }

  /// How often something was sealed with the key, by this store since it is sealed with it: two
  /// times for each blob that is put in.
  ///
  /// After a crash it may be up to 1,024 too high, and is never too low. Where the key is used
  /// for other things as well, as a ``Store``, these are not counted: see ``Sealing``.
  ///
  /// - Throws: ``StoreError`` if the store was closed.
  public func seals() async throws(StoreError) -> UInt64 {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in core.seals }
    }
  }

  /// Seals all files anew: afterwards nothing is left that another key opens, but for what is in
  /// the folder `quarantine`.
  ///
  /// It is how a key is exchanged for another: see ``RotatingSealing``. In a store that isn't
  /// sealed it does nothing. Files keep their names. Blobs that are found damaged are set aside.
  ///
  /// - Complexity: O(bytes of all blobs).
  /// - Throws: ``StoreError``; then files are left that the former key alone opens.
  public func reseal() async throws(StoreError) {
    try await StoreThread.run { [core] () throws(StoreError) in try core.reseal() }
  }

  /// Closes the store, and remembers which blobs were used last.
  public func close() async {
    _ = try? await StoreThread.run { [core] () throws(StoreError) in core.close() }
  }
}

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
