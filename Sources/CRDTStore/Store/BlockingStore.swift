public import CRDTKit

/// A store for scripts and threads of one's own: as ``Store``, but calls wait for
/// the disk in place.
///
///     let store = try BlockingStore.open(at: "notes.crdt")
///     try store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
///     try store.close()
///
/// Don't use it in tasks: it would hold up their threads.
public final class BlockingStore: Sendable {
  let core: StoreCore

  init(_ core: StoreCore) {
    self.core = core
  }

  deinit {
    _ = try? core.close()
  }

  /// Opens the store in a folder, or creates one: see ``Store/open(at:schema:options:)``.
  public static func open(
    at path: String, schema: Schema? = nil, options: StoreOptions = .standard
  ) throws(StoreError) -> BlockingStore {
    BlockingStore(try StoreCore.open(path, schema: schema, options: options))
  }

  /// Makes all commits durable and closes the store.
  public func close() throws(StoreError) {
    try core.close()
  }
}

extension BlockingStore {
  /// The folder.
  public var path: String { core.path }

  /// The document as it is committed.
  public var document: Document { core.document }

  /// The replica that writes here.
  public var replica: ReplicaID { core.monitor.withLock { core.identity.replica } }

  /// The document that the store has a copy of: see ``Store/documentID``.
  public var documentID: DocumentID? {
    core.monitor.withLock { core.ownDocument.flatMap { $0.isOpen ? nil : $0.id } }
  }

  /// What opening the store found.
  public var recovery: RecoveryReport { core.report }

  /// The replicas that the store has exchanged with, in ascending order.
  public var peers: [PeerRecord] { core.monitor.withLock { core.identity.peers } }

  /// Changes the document: one commit, all or nothing: see ``Store``.
  ///
  /// - Throws: ``StoreError`` where the commit was not made.
  @discardableResult
  public func edit<Result>(
    _ durability: Durability = .full, _ body: (inout Document.Editor) -> Result
  ) throws(StoreError) -> Result {
    let (result, commit) = try core.edit(durability, body)
    if let commit { try core.waitUntilDurable(commit) }
    return result
  }

  /// Changes the document, unless the body throws: then nothing has changed.
  ///
  /// - Throws: What the body throws; ``StoreError``.
  @discardableResult
  public func edit<Result>(
    _ durability: Durability = .full, _ body: (inout Document.Editor) throws -> Result
  ) throws -> Result {
    try core.answerInPlace(durability) { try core.edit(durability, undoing: body) }
  }

  /// Takes in a delta from elsewhere, durably; says whether there was anything new
  /// in it.
  @discardableResult
  public func apply(_ delta: TableDelta<Document>) throws(StoreError) -> Bool {
    let answer: (isNew: Bool, commit: UInt64)
    do { answer = try core.apply(delta) } catch {
      try core.waitUntilReadIsDurable()
      throw error
    }
    try core.waitUntilDurable(answer.commit)
    return answer.isNew
  }

  /// Makes all commits durable, relaxed ones too.
  ///
  /// - Throws: ``StoreError``: `closed` where the store was closed, which made them durable.
  public func flush() throws(StoreError) {
    try core.checkOpen()
    try core.waitUntilDurable(core.monitor.withLock { core.appended })
  }

  /// Writes a snapshot, so that opening is quick and the log short.
  public func compact() throws(StoreError) {
    try core.compact()
  }

  /// Seals all files anew: afterwards nothing is left that another key opens, or that isn't
  /// sealed, but for what is in the folder `quarantine`.
  ///
  /// It is how a key is exchanged for another: see ``RotatingSealing``. In a store that isn't
  /// sealed it is ``compact()``.
  ///
  /// - Complexity: O(rows).
  /// - Throws: ``StoreError``; then files are left that the former key alone opens.
  public func reseal() throws(StoreError) {
    try core.compact(isResealing: true)
  }

  /// Copies all that is durable into a folder that isn't there yet: see
  /// ``Store/backUp(to:)``.
  public func backUp(to path: String) throws(StoreError) {
    try core.backUp(to: path)
  }

  /// Says that the store's document and another one belong together: see
  /// ``Store/join(document:)``.
  public func join(document: DocumentID) throws(StoreError) {
    try core.waitUntilDurable(try core.join(document))
  }

  /// Waits no longer for a peer.
  public func forget(peer: ReplicaID) throws(StoreError) {
    try core.waitUntilDurable(try core.forget(peer))
  }

  /// How much there is in the store, and how much it has written.
  public var statistics: StoreStatistics { core.statistics }
}
