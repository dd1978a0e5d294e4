public import CRDTKit

extension Store {
  /// The record as it is committed; `nil` where there is none.
  ///
  /// - Throws: `DecodingError` where its fields are not what the type asks for;
  ///   ``RecordError/unknownModel(collection:)``.
  /// - Complexity: O(fields of the record).
  public func get<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Model? {
    try core.get(type, id)
  }

  /// The records of a model as they are committed, by the bytes of their names.
  ///
  /// There are none, and ``Records/error`` says why, where the store was not opened for the
  /// model.
  ///
  /// - Complexity: O(n log n) for n records, O(matches) for a query by an index.
  public func all<Model: Replicated>(
    _ type: Model.Type, where query: Query<Model> = .all
  ) -> Records<Model> {
    core.records(query)
  }

  /// The records for which something holds.
  public func all<Model: Replicated>(
    _ type: Model.Type, where isIncluded: @escaping @Sendable (Model) -> Bool
  ) -> Records<Model> {
    core.records(Query(where: isIncluded))
  }

  /// A record for a form to show, and to be committed when its user is done.
  ///
  /// - Throws: ``RecordError/notFound(_:)``; `DecodingError`.
  public func draft<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) throws -> Draft<Model> {
    try core.draft(type, id)
  }

  /// Why a field of a record reads as it does; `nil` where there is no such field.
  ///
  ///     if let reasons = store.explain(Note.self, "n1", "title") { print(reasons) }
  ///
  /// - Complexity: O(rows of the field).
  public func explain<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID, _ field: FieldPath
  ) -> Document.Explanation? {
    let record = Model.record(id)
    let field = Model.rules.collection.kept(field)
    return core.document.explain(field, of: record.record, in: record.collection)
  }

  /// The records of a model that were deleted and can be restored, as they were.
  ///
  /// - Complexity: O(n log n) for n records of the collection.
  public func deleted<Model: Replicated>(_ type: Model.Type) -> Records<Model> {
    let document = core.document
    var records = Records<Model>()
    for name in document.deletedRecords(in: Model.collection) {
      guard let fields = document.deletedFields(of: name, in: Model.collection) else { continue }
      records.set(try? type.model(from: fields), for: name)
    }
    return records
  }
}

extension StoreCore {
  /// The record as it is committed.
  func get<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Model? {
    try options.models.require(type)
    return try reader.model(type, Model.record(id))
  }

  /// A record for a form to show.
  func draft<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Draft<Model> {
    try options.models.require(type)
    let reader = reader
    let record = Model.record(id)
    guard let model = try reader.model(type, record) else { throw RecordError.notFound(record) }
    return Draft(model, at: reader.document.version)
  }

  /// The records that a query asks for.
  ///
  /// See ``reader(taking:)`` for what is taken from a subscription.
  func records<Model: Replicated>(
    _ query: Query<Model>, taking subscription: ChangeSubscription? = nil
  ) -> Records<Model> {
    let (names, reader) = names(for: query, taking: subscription)
    do { try options.models.require(Model.self) } catch { return Records(error) }
    var (found, models): ([String], [Model]) = ([], [])
    var unreadable: Set<String> = []
    for name in names.sorted(by: { $0.comes(before: $1) }) {
      let record = Document.RecordID(name, in: Model.collection)
      do {
        guard let model = try reader.model(Model.self, record),
          query.includes(model, record, reader)
        else { continue }
        found.append(name)
        models.append(model)
      } catch {
        unreadable.insert(name)
        tellUnreadable(record, error)
      }
    }
    return Records(names: found, models: models, unreadable)
  }
}

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

  /// Opens a store for models, or creates one, and waits in place.
  public static func open(
    at path: String, for models: any Replicated.Type..., options: StoreOptions = .standard
  ) throws(StoreError) -> Store {
    var options = options
    options.models = ModelRegistry(models)
    return try open(at: path, schema: Schema(models), options: options)
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
    _ durability: Durability = .full, _ body: (inout Transaction) throws -> Void
  ) async throws -> Receipt {
    try await core.answer(durability) { try core.write(durability, body) }
  }

  /// Changes records, and waits in place.
  @discardableResult
  public func write(
    _ durability: Durability = .full, _ body: (inout Transaction) throws -> Void
  ) throws -> Receipt {
    try core.answerInPlace(durability) { try core.write(durability, body) }
  }
}
