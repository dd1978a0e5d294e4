import CRDTKit

/// Stores blobs, such as pictures and attachments, in a folder of files.
///
///     let blobs = try await BlobStore.open(at: "notes.blobs")
///     let id = try await blobs.put(photo, as: .images, isSent: false)
///     note.photo = id                        // the record keeps the name
///     …
///     try await blobs.markSent(id)           // from now on it may make room for others
///
/// A blob's name is the digest of its bytes. So the same bytes are stored once per class,
/// and damage is found whenever they are read: damaged bytes are set aside and never
/// returned. Once ``put(_:as:isSent:)`` returns, the blob survives a power cut. Blobs that
/// are pinned or not yet sent are never removed automatically.
///
/// With ``BlobStore/Options/sealing``, all files are sealed, and their names reveal nothing
/// about the blobs. Without it, anybody who can read the folder can read the blobs, and a
/// file's name is the digest of its bytes.
///
/// You can call the methods from any task. They run one after another, on threads outside
/// Swift's concurrency pool, and run to their end even if the task is cancelled. One
/// process at a time can have the folder open. A store without references closes by itself.
public final class BlobStore: Sendable {
  private let core: BlobCore

  private init(_ core: BlobCore) {
    self.core = core
  }

  deinit {
    core.close()
  }

  /// Opens the folder at a path, and creates it if there is none.
  ///
  /// It removes temporary blobs that were sent and aren't pinned.
  ///
  /// - Complexity: O(number of blobs).
  /// - Throws: ``StoreError``.
  public static func open(
    at path: String, options: BlobStore.Options = BlobStore.Options()
  ) async throws(StoreError) -> BlobStore {
    BlobStore(
      try await StoreThread.run { () throws(StoreError) in try BlobCore(path, options) })
  }

  /// Stores a blob durably, and returns its name.
  ///
  /// If the same bytes should already be there, the store checks them: if they are damaged
  /// or gone, it writes them again. If the blob's class is a cache and is full, the store
  /// removes the least recently used blobs.
  ///
  /// - Parameters:
  ///   - bytes: The blob.
  ///   - blobClass: What the blob is for.
  ///   - isSent: Whether the blob may be lost, because you can fetch it again. Say `false`
  ///     for the only copy. A new upload is never sent yet.
  /// - Returns: The blob's name.
  /// - Complexity: O(number of bytes).
  /// - Throws: ``StoreError``: `storageLimit` or `tooLarge` if the class has no room for
  ///   it, `noSpace` if the disk has none.
  @discardableResult
  public func put(
    _ bytes: [UInt8], as blobClass: BlobStore.BlobClass, isSent: Bool
  ) async throws(StoreError) -> BlobID {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.put(bytes, as: blobClass, isSent: isSent)
    }
  }

  /// The bytes of a blob; `nil` if there is none of the name.
  ///
  /// - Complexity: O(number of bytes).
  /// - Throws: ``StoreError``. `damaged`: the bytes have changed; they were set aside, and
  ///   you can store the blob again. `wrongKey`: the file is whole, but was sealed with
  ///   another key, or for another blob or store; it was left there.
  public func get(_ id: BlobID) async throws(StoreError) -> [UInt8]? {
    try await StoreThread.run { [core] () throws(StoreError) in try core.get(id) }
  }

  /// Whether there is a blob of a name.
  ///
  /// - Throws: ``StoreError`` if the store is closed.
  public func contains(_ id: BlobID) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in !core.keys(id).isEmpty }
    }
  }

  /// Marks a blob as sent.
  ///
  /// An upload is removed, unless it is pinned. A blob of another class may be removed from
  /// now on to make room for others.
  ///
  /// - Throws: ``StoreError``.
  public func markSent(_ id: BlobID) async throws(StoreError) {
    try await StoreThread.run { [core] () throws(StoreError) in try core.markSent(id) }
  }

  /// The names of the blobs that aren't sent yet, in ascending order.
  ///
  /// - Complexity: O(n log n) for n blobs.
  /// - Throws: ``StoreError`` if the store is closed.
  public func unsent() async throws(StoreError) -> [BlobID] {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in
        let ids = core.entries.filter(\.value.isUnsent).map(\.key.id)
        return Set(ids).sorted { $0.text < $1.text }
      }
    }
  }

  /// Pins a blob, so that it isn't removed automatically; returns whether there is one.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func pin(_ id: BlobID) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in try core.setPinned(id, true) }
  }

  /// Unpins a blob, so that it may be removed automatically; returns whether there is one.
  ///
  /// An upload that was sent is removed at once.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func unpin(_ id: BlobID) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in try core.setPinned(id, false) }
  }

  /// Removes a blob, pinned or not; returns whether it is gone.
  ///
  /// A blob that isn't sent yet is removed only with `evenIfUnsent`.
  ///
  /// - Throws: ``StoreError``.
  @discardableResult
  public func remove(_ id: BlobID, evenIfUnsent: Bool = false) async throws(StoreError) -> Bool {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.remove(id, evenIfUnsent: evenIfUnsent)
    }
  }

  /// Removes all images and temporary blobs that are sent and not pinned, and returns how
  /// many bytes they took.
  ///
  /// - Complexity: O(number of blobs).
  /// - Throws: ``StoreError``.
  @discardableResult
  public func clearCache() async throws(StoreError) -> Int {
    try await StoreThread.run { [core] () throws(StoreError) in try core.clearCache() }
  }

  /// The space that the blobs take, by class.
  ///
  /// - Complexity: O(number of blobs).
  /// - Throws: ``StoreError`` if the store is closed.
  public func usage() async throws(StoreError) -> [BlobStore.BlobClass: BlobStore.Usage] {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in core.usage() }
    }
  }

  /// Whether the store has adopted unsealed blobs, although it is to be sealed.
  ///
  /// See ``BlobStore/Options/adoptsUnsealedFiles``.
  public var wasUnsealed: Bool { core.wasUnsealed }

  /// The number of times this store has sealed something with its present key: twice for
  /// each new blob.
  ///
  /// After a crash it may be up to 1,024 too high; it is never too low. If you use the key
  /// for other things too, such as a ``Store``, their seals are not counted: see
  /// ``Sealing``.
  ///
  /// - Throws: ``StoreError`` if the store is closed.
  public func seals() async throws(StoreError) -> UInt64 {
    try await StoreThread.run { [core] () throws(StoreError) in
      try core.perform { () throws(StoreError) in core.seals }
    }
  }

  /// Seals all files anew.
  ///
  /// Afterwards no file is left that another key opens, except those in the folder
  /// `quarantine`. Use it to exchange the key: see ``RotatingSealing``. In a store that
  /// isn't sealed it does nothing. Files keep their names. Damaged blobs that it finds are
  /// set aside. Files that no key opens are left, and reported as
  /// ``BlobStore/Event/refused(path:)``.
  ///
  /// - Complexity: O(bytes of all blobs).
  /// - Throws: ``StoreError``; then some files may be left that only the former key opens.
  public func reseal() async throws(StoreError) {
    try await StoreThread.run { [core] () throws(StoreError) in try core.reseal() }
  }

  /// Closes the store, and saves the order in which blobs were last used.
  public func close() async {
    _ = try? await StoreThread.run { [core] () throws(StoreError) in core.close() }
  }
}

extension BlobStore {
  /// The options of a blob store.
  public struct Options: Sendable {
    /// The limits of each class; a class that isn't listed has none.
    ///
    /// The defaults are: images 150 and 200 MB, documents 200 and 500 MB, uploads 800 MB and
    /// 1 GB, temporary blobs 40 and 50 MB.
    public var limits: [BlobStore.BlobClass: BlobStore.Limits] = [
      .images: BlobStore.Limits(softBytes: 150_000_000, hardBytes: 200_000_000),
      .documents: BlobStore.Limits(softBytes: 200_000_000, hardBytes: 500_000_000),
      .uploads: BlobStore.Limits(softBytes: 800_000_000, hardBytes: 1_000_000_000),
      .temporary: BlobStore.Limits(softBytes: 40_000_000, hardBytes: 50_000_000),
    ]
    /// The number of bytes that should be free on the disk.
    ///
    /// With fewer, caches may take half as much.
    public var minimumFreeBytes = 500_000_000
    /// Receives the store's events, on any thread.
    public var onEvent: @Sendable (BlobStore.Event) -> Void = { _ in }
    /// Seals and opens all blobs and everything that the store keeps beside them; `nil` if
    /// nothing is sealed.
    ///
    /// With a sealing, the store refuses files that are unsealed, or that were sealed for
    /// another blob, class or store: see ``adoptsUnsealedFiles``. A sealed store opens only
    /// with the same key: see ``StoreError/sealed(path:)`` and
    /// ``StoreError/wrongKey(path:)``. To exchange the key, see ``RotatingSealing`` and
    /// ``BlobStore/reseal()``.
    ///
    /// File names then reveal nothing about the blobs: they are keyed digests (HMAC-SHA-256)
    /// of a blob's name and class. The key of the digests is a random secret of the store,
    /// which is itself stored only sealed. So nobody without the key can find out whether a
    /// picture that they have is among the blobs. They can see how many blobs of each class
    /// there are, how large each is, when it was written, and how many are pinned or marked
    /// as sent or not. They can remove files, or put back older ones.
    public var sealing: (any Sealing)?
    /// Whether blobs that were stored without a sealing are adopted and sealed.
    ///
    /// The store seals all of them before it opens, and sets ``BlobStore/wasUnsealed``. Set
    /// this for folders of earlier versions of an app. With it, somebody who can write in the
    /// folder can replace the app's blobs by others. Unsealed files *beside* sealed ones are
    /// refused in any case, and reported as ``BlobStore/Event/refused(path:)``.
    public var adoptsUnsealedFiles = false
    /// The file system that the store's files are in.
    public var fileSystem: any FileSystem = DiskFileSystem()

    /// Makes random numbers: for a sealed store's number, and for its secret.
    package var makeNumber: @Sendable () -> UInt64 = { ReplicaID.random().rawValue }

    /// Creates the standard options.
    public init() {}
  }
}
