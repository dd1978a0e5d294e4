public import CRDTKit

/// Changes of records that are committed together, or not at all.
///
/// It is given to the body of ``Store/write(_:_:)``. What the body has done is seen by
/// what it reads, and by nobody else before it is committed; if the body throws,
/// nothing has happened.
public struct Transaction: ~Copyable {
  /// The store, which the transaction alone uses meanwhile, but for readers in its body.
  let core: StoreCore
  /// The replica that writes.
  public let replica: ReplicaID

  /// Whether a server is asked at once.
  var isOnline = false

  /// What is going to be done, in order.
  var staged: [StagedChange] = []
  /// The last changes of records, where those that follow can be made one with them.
  var origins: [Document.RecordID: Origin] = [:]
  /// Records as they become.
  var records: [Document.RecordID: Outcome] = [:]
  /// Changes of what the store keeps for itself.
  var local: [LocalChange] = []
  /// Records kept here alone that come or go; `nil` for those that go.
  var localRecordChanges: [Document.RecordID: [String: Document.Value]?] = [:]
  /// Whether records that came or went are among those that all share.
  var sharing: [Document.RecordID: Bool] = [:]
  /// Whether the drafts that are committed with this were committed.
  var drafts: [Locked<Bool>] = []
  /// What drafts and undos would have written, and could not.
  var omissions: [Receipt.Omission] = []
  /// The commits that are undone by this.
  var undone: [Dot] = []
  /// What there was, `nil` if it was as in the document, before a record was deleted.
  var outcomesBeforeDeletion: [Document.RecordID: Outcome?] = [:]

  /// What the last changes of a record are changes of.
  struct Origin {
    /// Where they are staged.
    var place: Int
    /// The record before them; `nil` for one that is new.
    var base: (any Replicated)?
    /// The type that it is read and changed as.
    var type: any Replicated.Type
  }

  /// What becomes of a record.
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

extension Transaction {
  /// The document as it was before: the store's own, so that indexes are made where they
  /// are kept.
  var document: Document {
    _read { yield core.working }
    nonmutating _modify { yield &core.working }
  }

  var localRecords: LocalRecords { core.localRecords }
  var models: ModelRegistry { core.options.models }
}

extension Transaction {
  /// The record as it is after the changes so far; `nil` where there is none.
  ///
  /// - Throws: `DecodingError` where its fields are not what the type asks for;
  ///   ``RecordError/unknownModel(collection:)``.
  /// - Complexity: O(fields of the record).
  public mutating func get<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) throws -> Model? {
    try models.require(type)
    return try model(type, Model.record(id))
  }

  /// All records of a model as they are after the changes so far, by the bytes of
  /// their names; those that can't be read are left out.
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
      // It is another type's, which may know less of the record.
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

  /// Whether there is a record after the changes so far.
  mutating func contains(_ record: Document.RecordID) -> Bool {
    switch records[record] {
    case .present?, .fields?: true
    case .deleted?: false
    case nil: document.contains(record.record, in: record.collection) || localRecords[record] != nil
    }
  }

  /// Whether a record is kept here alone, and shown: one of its name that all share is
  /// shown instead.
  func isLocal(_ record: Document.RecordID) -> Bool {
    isKeptHere(record)
      && !(sharing[record] ?? document.contains(record.record, in: record.collection))
  }

  /// Whether a record is kept here alone, shown or not.
  func isKeptHere(_ record: Document.RecordID) -> Bool {
    if let change = localRecordChanges[record] { return change != nil }
    return localRecords[record] != nil
  }

  /// The fields of a record after the changes so far; `nil` where there is none.
  func fields(of record: Document.RecordID) throws -> [String: Document.Value]? {
    switch records[record] {
    case .deleted?: return nil
    case .fields(let fields)?: return fields
    case .present?, nil:
      if isLocal(record) { return localRecordChanges[record] ?? localRecords[record] }
      return stagedFields(of: record)
    }
  }

  /// The fields of a record that all share, as the document has them when all is done
  /// that is staged.
  ///
  /// - Complexity: O(staged changes), and what those of the record do.
  func stagedFields(of record: Document.RecordID) -> [String: Document.Value]? {
    stagedDocument(for: record).fields(of: record.record, in: record.collection)
  }

  /// The document as it is, for one record, when all is done that is staged.
  func stagedDocument(for record: Document.RecordID) -> Document {
    var copy = document
    let changes = staged.filter { $0.record == record }
    guard !changes.isEmpty else { return copy }
    copy.edit(at: latestStamp) { edit in
      for change in changes { edit.perform(change) }
    }
    return copy
  }

  /// The stamp of what is tried out: none is later than that of a change to come.
  var latestStamp: HybridTimestamp { HybridTimestamp(time: .max, replica: replica) }
}

extension Transaction {
  /// Makes a record of what is left of one that was purged, for all replicas.
  ///
  /// It has just the fields that ``CRDTKit/Document/OrphanedRecord/fields`` shows. Where
  /// these are too few for a model, create a record of that name from them instead: it
  /// takes the place of what is left.
  ///
  /// - Throws: ``RecordError/noOrphan(_:)`` where it was restored or discarded meanwhile,
  ///   or a record of its name was made; ``RecordError``; `DecodingError` where what is
  ///   left is no model of the collection; what `validate()` throws.
  public mutating func restore(_ orphan: Document.OrphanedRecord) throws {
    try requireOrphan(orphan)
    try stage(.restoreOrphan(orphan), as: models[orphan.collection]?.type)
    sharing[orphan.id] = true
  }

  /// Removes for good what is left of a record that was purged, for all replicas.
  ///
  /// What others have written to it and isn't part of the orphan stays, as another one.
  ///
  /// - Throws: ``RecordError/noOrphan(_:)`` where it was restored or discarded meanwhile,
  ///   or a record of its name was made; ``RecordError``.
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
