public import CRDTKit

extension Store {
  /// Changes of records that are committed together or not at all.
  ///
  /// The body of ``Store/write(_:_:)`` receives it. Its reads see the changes that the body
  /// has made so far; nobody else sees them before they are committed. If the body throws,
  /// nothing has changed.
  public struct Transaction: ~Copyable {
    /// The store, which only the transaction uses meanwhile, apart from reads in its body.
    let core: StoreCore
    /// The replica that writes.
    public let replica: ReplicaID

    /// Whether a server is called at once.
    var isOnline = false

    /// The changes to be made, in order.
    var staged: [StagedChange] = []
    /// The last changes of records, if later ones can be joined with them.
    var origins: [Document.RecordID: Origin] = [:]
    /// Records as they will be.
    var records: [Document.RecordID: Outcome] = [:]
    /// Changes of what the store keeps for itself.
    var local: [LocalChange] = []
    /// Records kept in this store only that are added or removed; `nil` for removed ones.
    var localRecordChanges: [Document.RecordID: [String: Document.Value]?] = [:]
    /// Whether records that were added or removed are shared ones.
    var sharing: [Document.RecordID: Bool] = [:]
    /// The flags that mark this transaction's drafts as committed.
    var drafts: [Locked<Bool>] = []
    /// The changes that drafts and undos left out.
    var omissions: [Store.Receipt.Omission] = []
    /// The commits that this transaction undoes.
    var undone: [Dot] = []
    /// The outcomes before a record was deleted; `nil` if it was as in the document.
    var outcomesBeforeDeletion: [Document.RecordID: Outcome?] = [:]

    /// The base of the last changes of a record.
    struct Origin {
      /// Where they are staged.
      var place: Int
      /// The record before them; `nil` for a new one.
      var base: (any Replicated)?
      /// The type that the record is read and changed as.
      var type: any Replicated.Type
    }

    /// The result of the transaction for a record.
    enum Outcome {
      case present(any Replicated)
      /// Its fields are known, and not yet read as a model.
      case fields([String: Document.Value])
      case deleted
    }

    init(_ core: StoreCore, isOnline: Bool) {
      self.core = core
      self.isOnline = isOnline
      replica = core.identity.replica
    }
  }
}

extension Store.Transaction {
  /// The document before the transaction: the store's own, so that indexes are made where
  /// they are kept.
  var document: Document {
    _read { yield core.working.document }
    nonmutating _modify { yield &core.working.document }
  }

  var localRecords: LocalRecords { core.working.localRecords }
  var models: ModelRegistry { core.options.models }
}

extension Store.Transaction {
  /// The record after the changes so far; `nil` if there is none.
  ///
  /// - Throws: `DecodingError` if its fields don't fit the type;
  ///   ``RecordError/unknownModel(collection:)``.
  /// - Complexity: O(fields of the record).
  public mutating func get<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) throws -> Model? {
    try models.require(type)
    return try model(type, Model.record(id))
  }

  /// All records of a model after the changes so far, in the order of the bytes of their
  /// names.
  ///
  /// Records that can't be read are left out.
  ///
  /// - Throws: ``RecordError/unknownModel(collection:)``.
  /// - Complexity: O(n log n) for n records.
  public mutating func all<Model: Replicated>(
    _ type: Model.Type, where isIncluded: (Model) -> Bool = { _ in true }
  ) throws(RecordError) -> [Model] {
    try models.require(type)
    var names = Set(document.records(in: Model.collection))
    names.formUnion(localRecords.names(in: Model.collection))
    for record in records.keys where record.collection == Model.collection {
      names.insert(record.record)
    }
    return names.sorted { $0.comes(before: $1) }.compactMap { name in
      let model = try? model(type, Document.RecordID(name, in: Model.collection))
      return model.flatMap { isIncluded($0) ? $0 : nil }
    }
  }

  mutating func model<Model: Replicated>(
    _ type: Model.Type, _ record: Document.RecordID
  ) throws -> Model? {
    switch records[record] {
    case .present(let model as Model)?: return model
    case .present?:
      // It was staged as another type, which may know less of the record.
      return try fields(of: record).map { try type.model(from: $0) }
    case .fields(let fields)?:
      let model = try type.model(from: fields)
      records[record] = .present(model)
      return model
    case .deleted?: return nil
    case nil:
      document.prepareForReading()
      if let model = try document.read(type, record.record, in: record.collection) {
        return model
      }
      return try localRecords[record].map { try type.model(from: $0) }
    }
  }

  /// Whether a record exists after the changes so far.
  mutating func contains(_ record: Document.RecordID) -> Bool {
    switch records[record] {
    case .present?, .fields?: true
    case .deleted?: false
    case nil: document.contains(record.record, in: record.collection) || localRecords[record] != nil
    }
  }

  /// Whether a record is kept in this store only, and shown: a shared one of the same name
  /// is shown instead.
  func isLocal(_ record: Document.RecordID) -> Bool {
    isKeptHere(record)
      && !(sharing[record] ?? document.contains(record.record, in: record.collection))
  }

  /// Whether a record is kept in this store only, shown or not.
  func isKeptHere(_ record: Document.RecordID) -> Bool {
    if let change = localRecordChanges[record] { return change != nil }
    return localRecords[record] != nil
  }

  /// The fields of a record after the changes so far; `nil` if there is none.
  func fields(of record: Document.RecordID) throws -> [String: Document.Value]? {
    switch records[record] {
    case .deleted?: return nil
    case .fields(let fields)?: return fields
    case .present?, nil:
      if isLocal(record) { return localRecordChanges[record] ?? localRecords[record] }
      return stagedFields(of: record)
    }
  }

  /// The fields of a shared record in the document after all staged changes.
  ///
  /// - Complexity: O(staged changes), and the work of those of the record.
  func stagedFields(of record: Document.RecordID) -> [String: Document.Value]? {
    stagedDocument(for: record).fields(of: record.record, in: record.collection)
  }

  /// The document for one record after all staged changes.
  func stagedDocument(for record: Document.RecordID) -> Document { staging(of: record).document }

  /// The document for one record after all staged changes, and the rows that undos have put
  /// back until then.
  func staging(
    of record: Document.RecordID
  ) -> (document: Document, putBack: Document.PutBackRows) {
    var (copy, putBack) = (document, core.putBack)
    let changes = staged.filter { $0.record == record }
    guard !changes.isEmpty else { return (copy, putBack) }
    copy.edit(at: latestStamp) { edit in
      edit.putBack = putBack
      for change in changes { edit.perform(change) }
      putBack = edit.putBack
    }
    return (copy, putBack)
  }

  /// The stamp of trial changes: no later change has a greater one.
  var latestStamp: HybridTimestamp { HybridTimestamp(time: .max, replica: replica) }
}

extension Store.Transaction {
  /// Makes a record of the remains of a purged one, for all replicas.
  ///
  /// It has exactly the fields in ``CRDTKit/Document/OrphanedRecord/fields``. If these are
  /// too few for the model, create a record of that name from them instead: it replaces the
  /// remains.
  ///
  /// - Throws: ``RecordError/noOrphan(_:)`` if it was restored or discarded meanwhile, or a
  ///   record of its name was created; ``RecordError``; `DecodingError` if the remains are
  ///   no model of the collection; the errors of `validate()`.
  public mutating func restore(_ orphan: Document.OrphanedRecord) throws {
    try requireOrphan(orphan)
    try stage(.restoreOrphan(orphan), as: models[orphan.collection]?.type)
    sharing[orphan.id] = true
  }

  /// Permanently removes the remains of a purged record, for all replicas.
  ///
  /// Changes that others have written to it and that aren't part of the orphan stay, as
  /// another orphan.
  ///
  /// - Throws: ``RecordError/noOrphan(_:)`` if it was restored or discarded meanwhile, or a
  ///   record of its name was created; ``RecordError``.
  public mutating func discard(_ orphan: Document.OrphanedRecord) throws {
    try requireOrphan(orphan)
    staged.append(.discardOrphan(orphan))
  }

  private mutating func requireOrphan(_ orphan: Document.OrphanedRecord) throws(RecordError) {
    try requireShared(orphan.id)
    let isDecided = staged.contains { $0.record == orphan.id }
    guard !isDecided, !isKeptHere(orphan.id), document.isOrphaned(orphan.id) else {
      throw .noOrphan(orphan.id)
    }
  }
}
