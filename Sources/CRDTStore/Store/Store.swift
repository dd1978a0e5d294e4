public import CRDTKit

/// A document in a folder of files, which survives crashes and power cuts.
///
///     let store = try await Store.open(at: "notes.crdt", schema: schema)
///     try await store.edit { edit in
///       edit.set("title", of: "n1", in: "notes", to: "Moon")
///     }
///     store.document.value(of: "title", of: "n1", in: "notes")   // "Moon"
///
/// An edit is one commit, all or nothing. When it returns, it is durable, unless
/// it was asked to be ``Durability/relaxed``; commits that are made at the same
/// time share one write to the disk. Readers see what is committed, and never wait
/// for the disk, nor does any thread of Swift's tasks.
///
/// A folder is open in one place at a time. The article *File format* says what
/// each byte in it means, *Crash safety* what is promised and why it holds.
///
/// Whatever waits for the disk can be called in two ways. In a task you write `await`, and no
/// thread waits. In a script or on a thread of your own the same call waits in place:
///
///     let store = try Store.open(at: "notes.crdt")
///     try store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
///     try store.close()
///
/// Async code can't call the second form by mistake: the compiler takes the first there.
public final class Store: Sendable {
  let core: StoreCore

  init(_ core: StoreCore) {
    self.core = core
  }

  deinit {
    let core = core
    // Closing waits for the disk, which whoever lets go of the store must not.
    let close: @Sendable () -> Void = { _ = try? core.close() }
    if !core.options.hasThreads || !StoreThread.start(close) { close() }
  }

  /// Opens the store in a folder, or creates one.
  ///
  /// - Parameters:
  ///   - path: The folder. It is made if it isn't there; the folder around it must be.
  ///   - schema: The rules of the document; `nil` for those that the store has kept
  ///     since it was last opened with some.
  ///   - options: See ``StoreOptions``.
  /// - Returns: The store, which nobody else can open until it is closed.
  /// - Throws: ``StoreError``, for instance ``StoreError/locked(path:)`` where the
  ///   store is open elsewhere, ``StoreError/damaged(path:offset:reason:)`` where a
  ///   file isn't as it was written.
  /// - Complexity: O(size of the snapshot and of the log since).
  public nonisolated(nonsending) static func open(
    at path: String, schema: Schema? = nil, options: StoreOptions = .standard
  ) async throws(StoreError) -> Store {
    Store(
      try await StoreThread.run { () throws(StoreError) in
        try StoreCore.open(path, schema: schema, options: options)
      })
  }

  /// Opens the store in a folder, or creates one, and waits in place.
  public static func open(
    at path: String, schema: Schema? = nil, options: StoreOptions = .standard
  ) throws(StoreError) -> Store {
    Store(try StoreCore.open(path, schema: schema, options: options))
  }

  /// Makes all commits durable and closes the store: nothing else can be done with
  /// it then.
  ///
  /// A store that nothing refers to any more closes by itself, soon after.
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

  /// The document as it is committed: a value of its own, which later commits
  /// don't change.
  public var document: Document { core.document }

  /// The replica that writes here.
  ///
  /// It changes where the store turns out to be a copy.
  public var replica: ReplicaID { core.monitor.withLock { core.identity.replica } }

  /// The document that the store has a copy of; `nil` where it has none yet: it is empty,
  /// and takes that of the first store or relay that it meets, or it is of an earlier
  /// version.
  public var documentID: DocumentID? {
    core.monitor.withLock { core.ownDocument.flatMap { $0.isOpen ? nil : $0.id } }
  }

  /// What opening the store found.
  public var recovery: RecoveryReport { core.report }

  /// The replicas that the store has exchanged with, in ascending order.
  public var peers: [PeerRecord] { core.monitor.withLock { core.identity.peers } }

  /// Changes the document: one commit, all or nothing.
  ///
  ///     try await store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
  ///
  /// The body is run at once, while no other edit is and nobody reads. It must not use
  /// the store, which stops the program: it reads through its editor. It may read what
  /// other edits did that are not durable yet; so the call waits for them too, though
  /// the body changes nothing, or throws.
  ///
  /// What models say of a server holds here as in a ``write(_:_:)``: where the edit changes
  /// a collection that is ``ServerAccess/queued``, the operations are part of the commit, and
  /// tell what the records come to show; one that changes a collection that is
  /// ``ServerAccess/readOnly`` or ``ServerAccess/onlineOnly`` is refused. Models'
  /// `validate()` isn't asked.
  ///
  /// - Parameters:
  ///   - durability: Whether to wait until the commit survives a power cut.
  ///   - body: Makes the changes.
  /// - Returns: What the body returns.
  /// - Throws: ``StoreError`` where the commit was not made, ``StoreError/refused(_:)`` where
  ///   a model forbids it; nothing has changed then, except where it says that the store has stopped: whether the commit is
  ///   there shows when it is opened again.
  /// - Complexity: What the body does, and O(number of replicas).
  @discardableResult
  public nonisolated(nonsending) func edit<Result>(
    _ durability: Durability = .full, _ body: (inout Document.Editor) -> Result
  ) async throws(StoreError) -> Result {
    let (result, commit) = try core.edit(durability, body)
    if let commit { try await core.untilDurable(commit) }
    return result
  }

  /// Changes the document, and waits in place.
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
  /// - Complexity: What the body does, O(number of replicas), and O(rows of the
  ///   pages that it touches), which are copied so that it can be undone.
  @discardableResult
  public nonisolated(nonsending) func edit<Result>(
    _ durability: Durability = .full, _ body: (inout Document.Editor) throws -> Result
  ) async throws -> Result {
    try await core.answer(durability) { try core.edit(durability, undoing: body) }
  }

  /// Changes the document, unless the body throws, and waits in place.
  @discardableResult
  public func edit<Result>(
    _ durability: Durability = .full, _ body: (inout Document.Editor) throws -> Result
  ) throws -> Result {
    try core.answerInPlace(durability) { try core.edit(durability, undoing: body) }
  }

  /// Takes in a delta from elsewhere; says whether there was anything new in it.
  ///
  /// When it returns, the delta is durable, and may be acknowledged. It is what others have
  /// written, and no write of the app: no server is told of it, and it is taken in whatever
  /// a collection's ``ServerAccess`` is.
  ///
  /// - Throws: ``StoreError/delta(_:)`` where it doesn't fit,
  ///   ``StoreError/clockDrift(_:)`` where its stamps are too far ahead; nothing has
  ///   changed then.
  @discardableResult
  public nonisolated(nonsending) func apply(
    _ delta: TableDelta<Document>
  ) async throws(StoreError) -> Bool {
    let answer: (isNew: Bool, commit: UInt64)
    do { answer = try core.apply(delta) } catch {
      try await core.untilReadIsDurable()
      throw error
    }
    try await core.untilDurable(answer.commit)
    return answer.isNew
  }

  /// Takes in a delta from elsewhere, and waits in place.
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

  /// How much there is in the store, and how much it has written.
  public var statistics: StoreStatistics { core.statistics }
}
