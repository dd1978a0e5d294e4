import CRDTKit

extension Transaction {
  /// The record as it is after the changes so far; `nil` where there is none.
  ///
  /// - Throws: `DecodingError` where its fields are not what the type asks for.
  /// - Complexity: O(fields of the record).
  public mutating func get<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) throws -> Model? {
    try model(type, Model.record(id))
  }

  /// All records of a model as they are after the changes so far, by the bytes of
  /// their names; those that can't be read are left out.
  ///
  /// - Complexity: O(n log n) for n records.
  public mutating func all<Model: Replicated>(
    _ type: Model.Type, where isIncluded: (Model) -> Bool = { _ in true }
  ) -> [Model] {
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
    case .present(let model)?:
      return try Document.model(type, from: Document.fields(of: model))
    case .fields(let fields)?:
      let model = try Document.model(type, from: fields)
      records[record] = .present(model)
      return model
    case .deleted?: return nil
    case nil:
      if let model = try document.read(type, record.record, in: record.collection) {
        return model
      }
      return try localRecords[record].map { try Document.model(type, from: $0) }
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

  /// Whether a record is kept here alone.
  func isLocal(_ record: Document.RecordID) -> Bool {
    if let change = localRecordChanges[record] { return change != nil }
    return localRecords[record] != nil
  }
}
