public import CRDTKit

/// A document in a folder of files, which survives crashes and power cuts.
///
///     let store = try await Store.open(at: "notes.crdt", schema: schema)
///     try await store.edit { edit in
///       edit.set("title", of: "n1", in: "notes", to: "Moon")
///     }
///     store.document.value(of: "title", of: "n1", in: "notes")   // "Moon"
///
/// An edit is one commit, all or nothing. When the call returns, the commit is durable,
/// unless you asked for ``Store/Durability/relaxed``. Commits made at the same time share one
/// write to the disk. Readers see committed changes and never wait for the disk. No thread
/// of Swift's concurrency pool waits for the disk either, as long as the system has threads.
///
/// A folder can be open in one place at a time. The article *File format* describes every
/// byte in it. *Crash safety* says what the store guarantees, and why.
///
/// Every call that waits for the disk has two forms. In a task, write `await`: no thread
/// waits. In a script or on a thread of your own, the same call waits in place:
///
///     let store = try Store.open(at: "notes.crdt")
///     try store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
///     try store.close()
///
/// In async code the compiler picks the first form. A closure that is not async itself gets
/// the second one, also within a task.
public final class Store: Sendable {
  let core: StoreCore

  init(_ core: StoreCore) {
    self.core = core
  }

  deinit {
    let core = core
    // Closing waits for the disk. The thread that releases the store must not wait for it.
    let close: @Sendable () -> Void = { _ = try? core.close() }
    if !core.options.hasThreads || !StoreThread.start(close) { close() }
  }

  /// Opens the store in a folder, or creates one.
  ///
  /// - Parameters:
  ///   - path: The folder. The store creates it if it doesn't exist; its parent must exist.
  ///   - schema: The rules of the document; `nil` for the schema that the store has kept
  ///     since it was last opened with one.
  ///   - options: See ``Store/Options``.
  /// - Returns: The store, which nobody else can open until it is closed.
  /// - Throws: ``StoreError``, for instance ``StoreError/locked(path:)`` if the store is
  ///   open elsewhere, or ``StoreError/damaged(path:offset:reason:)`` if a file isn't as it
  ///   was written.
  /// - Complexity: O(size of the snapshot and of the log since then).
  public nonisolated(nonsending) static func open(
    at path: String, schema: Schema? = nil, options: Store.Options = .standard
  ) async throws(StoreError) -> Store {
    Store(
      try await StoreThread.run { () throws(StoreError) in
        try StoreCore.open(path, schema: schema, options: options)
      })
  }

  /// Opens the store in a folder, or creates one, and waits in place.
  public static func open(
    at path: String, schema: Schema? = nil, options: Store.Options = .standard
  ) throws(StoreError) -> Store {
    Store(try StoreCore.open(path, schema: schema, options: options))
  }

  /// Makes all commits durable and closes the store.
  ///
  /// You can't use the store after that. A store without references closes by itself, soon
  /// after the last reference is gone.
  public nonisolated(nonsending) func close() async throws(StoreError) {
    let core = core
    try await StoreThread.run { () throws(StoreError) in try core.close() }
  }

  /// Makes all commits durable and closes the store, and waits in place.
  public func close() throws(StoreError) {
    try core.close()
  }
}

extension Store {
  /// The folder.
  public var path: String { core.path }

  /// The committed document: a value, which later commits don't change.
  public var document: Document { core.document }

  /// The replica that this store writes as.
  ///
  /// It changes when the store finds out that it is a copy of another store.
  public var replica: ReplicaID { core.monitor.withLock { core.identity.replica } }

  /// The document that the store has a copy of; `nil` if it has none yet.
  ///
  /// A store has none while it is empty: it takes the document of the first store or relay
  /// that it meets. A store of an earlier version has none either.
  public var documentID: DocumentID? {
    core.monitor.withLock { core.ownDocument.flatMap { $0.isOpen ? nil : $0.id } }
  }

  /// What opening the store found.
  public var recovery: RecoveryReport { core.report }

  /// The replicas that the store has synced with, in ascending order.
  ///
  /// A peer that greeted as this store itself and brought nothing new, which is what an echo
  /// does, is none of them.
  public var peers: [PeerRecord] { core.monitor.withLock { core.identity.peers } }

  /// Changes the document: one commit, all or nothing.
  ///
  ///     try await store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
  ///
  /// The store runs `body` at once, with exclusive access: no other edit runs meanwhile,
  /// and nobody reads. The body reads through its editor. Calling the store from the body
  /// is a programmer error and traps. The body may read edits that are not durable yet, so
  /// the call waits for these too, even if the body changes nothing or throws.
  ///
  /// The models' rules about a server hold here as in ``write(_:_:)``. If the edit changes
  /// a collection that is ``ServerAccess/queued``, its operations are part of the commit
  /// and carry the values that the records then show. An edit that changes a collection
  /// that is ``ServerAccess/readOnly`` or ``ServerAccess/onlineOnly`` is refused. The
  /// models' `validate()` is not called.
  ///
  /// - Parameters:
  ///   - durability: Whether to wait until the commit survives a power cut.
  ///   - body: Makes the changes.
  /// - Returns: What the body returns.
  /// - Throws: ``StoreError`` if the commit was not made, ``StoreError/refused(_:)`` if a
  ///   model forbids it. Nothing has changed then, with one exception: if the error says
  ///   that the store has stopped, you learn only by opening the store again whether the
  ///   commit is there.
  /// - Complexity: What the body does, and O(number of replicas).
  @discardableResult
  public nonisolated(nonsending) func edit<Result>(
    _ durability: Store.Durability = .full, _ body: (inout Document.Editor) -> Result
  ) async throws(StoreError) -> Result {
    let (result, commit) = try core.edit(durability, body)
    if let commit { try await core.untilDurable(commit) }
    return result
  }

  /// Changes the document, and waits in place.
  @discardableResult
  public func edit<Result>(
    _ durability: Store.Durability = .full, _ body: (inout Document.Editor) -> Result
  ) throws(StoreError) -> Result {
    let (result, commit) = try core.edit(durability, body)
    if let commit { try core.waitUntilDurable(commit) }
    return result
  }

  /// Changes the document, unless the body throws; then nothing changes.
  ///
  /// - Throws: What the body throws; ``StoreError``.
  /// - Complexity: What the body does, O(number of replicas), and O(rows of the pages that
  ///   the body touches): these are copied, so that the change can be undone.
  @discardableResult
  public nonisolated(nonsending) func edit<Result>(
    _ durability: Store.Durability = .full, _ body: (inout Document.Editor) throws -> Result
  ) async throws -> Result {
    try await core.answer(durability) { try core.edit(durability, undoing: body) }
  }

  /// Changes the document, unless the body throws, and waits in place.
  @discardableResult
  public func edit<Result>(
    _ durability: Store.Durability = .full, _ body: (inout Document.Editor) throws -> Result
  ) throws -> Result {
    try core.answerInPlace(durability) { try core.edit(durability, undoing: body) }
  }

  /// Applies a delta from elsewhere, and returns whether it held anything new.
  ///
  /// When the call returns, the delta is durable and you may acknowledge it. A delta holds
  /// changes that others have written, and is no write of the app. So no server is sent
  /// them, and the store applies them whatever the collection's ``ServerAccess`` is.
  ///
  /// - Throws: ``StoreError/delta(_:)`` if the delta doesn't fit,
  ///   ``StoreError/clockDrift(_:)`` if its stamps are too far ahead. Nothing has changed
  ///   then.
  @discardableResult
  public nonisolated(nonsending) func apply(
    _ delta: TableDelta<Document>
  ) async throws(StoreError) -> Bool {
    let answer: (isNew: Bool, commit: UInt64)
    do { answer = try core.apply([delta]) } catch {
      try await core.untilReadIsDurable()
      throw error
    }
    try await core.untilDurable(answer.commit)
    return answer.isNew
  }

  /// Applies a delta from elsewhere, and waits in place.
  @discardableResult
  public func apply(_ delta: TableDelta<Document>) throws(StoreError) -> Bool {
    let answer: (isNew: Bool, commit: UInt64)
    do { answer = try core.apply([delta]) } catch {
      try core.waitUntilReadIsDurable()
      throw error
    }
    try core.waitUntilDurable(answer.commit)
    return answer.isNew
  }

  /// The size of the store's files, and how much it has written.
  public var statistics: Store.Statistics { core.statistics }
}
