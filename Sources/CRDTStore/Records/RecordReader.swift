import CRDTKit

/// The committed records, at one moment.
struct RecordReader {
  var document: Document
  var localRecords: LocalRecords

  func model<Model: Replicated>(
    _ type: Model.Type, _ record: Document.RecordID
  ) throws -> Model? {
    if let model = try document.read(type, record.record, in: record.collection) { return model }
    return try localRecords[record].map { try type.model(from: $0) }
  }

  /// Whether a record is kept here alone, and shown.
  func isLocal(_ record: Document.RecordID) -> Bool {
    localRecords[record] != nil
      && !document.contains(record.record, in: record.collection)
  }

  /// The value of a field of a record, as its model has it.
  func value(of field: String, of record: Document.RecordID) -> Document.Value? {
    let rules = document.schema.collections[record.collection]
    let kept = rules?.keptNames[field]
    if let kept, let value = keptValue(of: kept, of: record) { return value }
    return keptValue(of: field, of: record) ?? rules?.defaults[[field]]
  }

  private func keptValue(of name: String, of record: Document.RecordID) -> Document.Value? {
    isLocal(record)
      ? localRecords[record]?[name]
      : document.value(of: FieldPath([name]), of: record.record, in: record.collection)
  }

  /// The names of a collection's records, in no order.
  func names(in collection: String) -> [String] {
    let names = document.records(in: collection)
    let local = localRecords.names(in: collection)
    return local.isEmpty ? names : Array(Set(names).union(local))
  }
}

extension StoreCore {
  /// What readers see.
  var reader: RecordReader {
    monitor.withLock { seen }
  }

  /// What readers see, when all that has changed until then has been taken from a
  /// subscription, and nothing else: what is left there is of later commits.
  ///
  /// The same is taken from another subscription, and not told of.
  func reader(
    taking subscription: ChangeSubscription?, _ other: ChangeSubscription? = nil
  ) -> (reader: RecordReader, change: StoreChange?) {
    // Commits are seen, and told of, while the monitor is held.
    monitor.withLock {
      _ = other?.takePending()
      return (seen, subscription?.takePending())
    }
  }
}
