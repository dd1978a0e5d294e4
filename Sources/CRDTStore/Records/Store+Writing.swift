import CRDTKit

extension Store {
  /// Opens a store for models, or creates one.
  ///
  ///     let store = try await Store.open(at: "notes.crdt", for: Note.self, Errand.self)
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - models: All types of its records. Collections that none of them names are
  ///     kept, merged and exchanged all the same, but without their rules; writing
  ///     their models is refused.
  ///   - options: See ``StoreOptions``.
  /// - Returns: The store, which nobody else can open until it is closed.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(size of the snapshot and of the log since).
  public nonisolated(nonsending) static func open(
    at path: String, for models: any Replicated.Type..., options: StoreOptions = .standard
  ) async throws(StoreError) -> Store {
    var options = options
    options.models = ModelRegistry(models)
    return try await open(at: path, schema: Schema(models), options: options)
  }

  /// Changes records: one commit, all or nothing.
  ///
  ///     let receipt = try await store.write { tx in
  ///       try tx.create(Note(id: "n1", title: "Moon"))
  ///       try tx.update(Note.self, "n2") { $0.likes += 2 }
  ///     }
  ///
  /// Where a collection is queued for a server, the operations are part of the commit.
  /// The body is run at once. It reads by its transaction; the store itself shows it what
  /// was committed before, and can't be changed by it.
  /// It may read what other commits did that are not durable yet; so the call waits for
  /// them too, though the body changes nothing, or throws.
  ///
  /// - Parameters:
  ///   - durability: Whether to wait until the commit survives a power cut.
  ///   - body: Says what is to be done.
  /// - Returns: What the commit was.
  /// - Throws: What the body throws; ``StoreError``. Nothing has changed then, except
  ///   where it says that the store has stopped.
  /// - Complexity: What the body does, and O(number of replicas).
  @discardableResult
  public nonisolated(nonsending) func write(
    _ durability: Durability, _ body: (inout Transaction) throws -> Void
  ) async throws -> Receipt {
    try await core.answer(durability) { try core.write(durability, body) }
  }

  /// Changes records, and waits until the commit survives a power cut: see
  /// ``write(_:_:)``.
  ///
  /// - Throws: What the body throws; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func write(
    _ body: (inout Transaction) throws -> Void
  ) async throws -> Receipt {
    try await write(.full, body)
  }
}

extension BlockingStore {
  /// Opens a store for models, or creates one: see ``Store/open(at:for:options:)``.
  public static func open(
    at path: String, for models: any Replicated.Type..., options: StoreOptions = .standard
  ) throws(StoreError) -> BlockingStore {
    var options = options
    options.models = ModelRegistry(models)
    return try open(at: path, schema: Schema(models), options: options)
  }

  /// Changes records: see ``Store/write(_:_:)``.
  @discardableResult
  public func write(
    _ durability: Durability, _ body: (inout Transaction) throws -> Void
  ) throws -> Receipt {
    try core.answerInPlace(durability) { try core.write(durability, body) }
  }

  /// Changes records, and waits until the commit survives a power cut.
  @discardableResult
  public func write(_ body: (inout Transaction) throws -> Void) throws -> Receipt {
    try write(.full, body)
  }
}
