import CRDTKit

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
