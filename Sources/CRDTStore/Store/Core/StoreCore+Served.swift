import CRDTKit

/// Edits of documents of which a server is told: what they do to records is found out, and
/// goes the way of what a transaction does.
extension StoreCore {
  /// Commits what a body does, in memory, with the operations that tell a server of it; the
  /// monitor is held.
  ///
  /// - Throws: What the body throws; ``StoreError/refused(_:)`` where a model forbids it.
  func editServed<Result>(
    _ durability: Durability, _ body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    let before = working
    var staged: [StagedChange] = []
    var operations: [OperationID] = []
    let answer = try editLocked(
      durability, keepingCopy: true,
      checking: { staged = try self.changes(of: $0, since: before) },
      local: { counters in
        var replaced: [Document.RecordID: [String: Document.Value]] = [:]
        for record in staged.map(\.record) {
          replaced[record] =
            before.fields(of: record.record, in: record.collection)
            ?? before.deletedFields(of: record.record, in: record.collection)
        }
        let queued = enqueue(staged, counters, replacing: replaced)
        operations = queued.operations
        return queued.changes
      }, body)
    if !operations.isEmpty { queuedCommit = appended }
    return answer
  }

  /// What was done to records of which a server is told.
  private func changes(
    of records: Set<Document.RecordID>, since before: Document
  ) throws(StoreError) -> [StagedChange] {
    var staged: [StagedChange] = []
    for record in records.sorted() {
      let (name, collection) = (record.record, record.collection)
      switch options.models[collection]?.access ?? .none {
      case .none: continue
      case .readOnly: throw .refused(.readOnly(collection: collection))
      case .onlineOnly: throw .refused(.onlineOnly(collection: collection))
      case .queued: break
      }
      let rules = working.schema.collections[collection]
      let isSet = { [working] path in working.holdsSet(path, of: name, in: collection) }
      let old = before.fields(of: name, in: collection)
      switch (old, working.fields(of: name, in: collection)) {
      case (nil, nil): continue
      case (_?, nil): staged.append(.delete(record))
      case (nil, let new?):
        let wasDeleted = before.deletion(of: name, in: collection) != nil
        let fields = Document.differences(from: [:], to: new, under: rules, isSet: isSet)
        staged.append(wasDeleted ? .restore(record) : .create(record, fields))
      case (let old?, let new?):
        let fields = Document.differences(from: old, to: new, under: rules, isSet: isSet)
        if !fields.isEmpty { staged.append(.update(record, fields)) }
      }
      if let path = staged.last?.fields.lazy.compactMap(\.pathOfNoNumber).first {
        throw .refused(.notFinite(record, path))
      }
    }
    return staged
  }
}
