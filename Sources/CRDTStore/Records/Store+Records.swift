public import CRDTKit

extension Store {
  /// The committed record; `nil` if there is none.
  ///
  /// - Throws: `DecodingError` if its fields don't fit the type;
  ///   ``RecordError/unknownModel(collection:)``.
  /// - Complexity: O(fields of the record).
  public func get<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Model? {
    try core.get(type, id)
  }

  /// The committed records of a model, in the order of the bytes of their names.
  ///
  /// If the store was not opened for the model, there are none, and ``Store/Records/error`` says
  /// why.
  ///
  /// - Complexity: O(n log n) for n records, O(matches) for a query with an index.
  public func all<Model: Replicated>(
    _ type: Model.Type, where query: Store.Query<Model> = .all
  ) -> Store.Records<Model> {
    core.records(query)
  }

  /// The records that satisfy a predicate.
  public func all<Model: Replicated>(
    _ type: Model.Type, where isIncluded: @escaping @Sendable (Model) -> Bool
  ) -> Store.Records<Model> {
    core.records(Store.Query(where: isIncluded))
  }

  /// A draft of a record, for a form to show and commit.
  ///
  /// - Throws: ``RecordError/notFound(_:)``; `DecodingError`.
  public func draft<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) throws -> Store.Draft<Model> {
    try core.draft(type, id)
  }

  /// Why a field of a record has its value; `nil` if there is no such field.
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

  /// The deleted records of a model that can be restored, as they were.
  ///
  /// - Complexity: O(n log n) for n records of the collection.
  public func deleted<Model: Replicated>(_ type: Model.Type) -> Store.Records<Model> {
    let document = core.document
    var records = Store.Records<Model>()
    for name in document.deletedRecords(in: Model.collection) {
      guard let fields = document.deletedFields(of: name, in: Model.collection) else { continue }
      records.set(try? type.model(from: fields), for: name)
    }
    return records
  }
}

extension StoreCore {
  /// The committed record.
  func get<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Model? {
    try options.models.require(type)
    return try reader.model(type, Model.record(id))
  }

  /// A draft of a record.
  func draft<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Store.Draft<Model> {
    try options.models.require(type)
    let reader = reader
    let record = Model.record(id)
    guard let model = try reader.model(type, record) else { throw RecordError.notFound(record) }
    let document = reader.document
    return Store.Draft(model, at: document.version, madeBy: document.births(of: record))
  }

  /// The records that a query selects.
  ///
  /// ``reader(taking:)`` says what is taken from the subscription.
  func records<Model: Replicated>(
    _ query: Store.Query<Model>, taking subscription: ChangeSubscription? = nil
  ) -> Store.Records<Model> {
    let (names, reader) = names(for: query, taking: subscription)
    do { try options.models.require(Model.self) } catch { return Store.Records(error) }
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
    return Store.Records(names: found, models: models, unreadable)
  }
}

extension Store {
  /// Opens a store for models, or creates one.
  ///
  ///     let store = try await Store.open(at: "notes.crdt", for: Note.self, Errand.self)
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - models: The types of all its records. Collections that no model names are kept,
  ///     merged and exchanged too, but without their rules, and writing their models is
  ///     refused.
  ///   - options: See ``Store/Options``.
  /// - Returns: The store, which nobody else can open until it is closed.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(size of the snapshot and of the log since then).
  public nonisolated(nonsending) static func open(
    at path: String, for models: any Replicated.Type..., options: Store.Options = .standard
  ) async throws(StoreError) -> Store {
    var options = options
    options.models = ModelRegistry(models)
    return try await open(at: path, schema: Schema(models), options: options)
  }

  /// Opens a store for models, or creates one, and waits in place.
  public static func open(
    at path: String, for models: any Replicated.Type..., options: Store.Options = .standard
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
  /// If a collection is queued for a server, its operations are part of the commit. The
  /// store runs `body` at once. The body reads through its transaction. Through the store
  /// it sees what was committed before, and it can't change the store. The body may read
  /// commits that are not durable yet, so the call waits for these too, even if the body
  /// changes nothing or throws.
  ///
  /// - Parameters:
  ///   - durability: Whether to wait until the commit survives a power cut.
  ///   - body: Makes the changes.
  /// - Returns: The receipt of the commit.
  /// - Throws: The errors of the body; ``StoreError``. Nothing has changed then, unless the
  ///   error says that the store has stopped.
  /// - Complexity: What the body does, and O(number of replicas).
  @discardableResult
  public nonisolated(nonsending) func write(
    _ durability: Store.Durability = .full, _ body: (inout Store.Transaction) throws -> Void
  ) async throws -> Store.Receipt {
    try await core.answer(durability) { try core.write(durability, body) }
  }

  /// Changes records, and waits in place.
  @discardableResult
  public func write(
    _ durability: Store.Durability = .full, _ body: (inout Store.Transaction) throws -> Void
  ) throws -> Store.Receipt {
    try core.answerInPlace(durability) { try core.write(durability, body) }
  }
}
