import CRDTKit

extension Transaction {
  /// Takes back what a commit did, by changes that do the opposite.
  ///
  /// What it counted is counted back, elements that it inserted are taken out, records
  /// that it created are deleted, and those that it deleted restored. A field that it
  /// assigned gets the value from before, unless someone has assigned it since. How a
  /// conflict was settled isn't taken back, nor what is kept here alone.
  ///
  /// - Throws: ``RecordError``; what `validate()` throws.
  public mutating func undo(_ receipt: Receipt) throws {
    for change in receipt.changes.reversed() {
      let record = change.record
      try requireShared(record)
      switch change {
      case .create: if contains(record) { stageDeletion(of: record) }
      case .delete: stageRestoration(of: record)
      case .restore: if contains(record) { stageDeletion(of: record) }
      case .update(_, let changes), .revise(_, let changes, seen: _):
        try undo(changes, of: record)
      case .resolve: break
      }
    }
  }

  mutating func undo(
    _ changes: [Document.FieldChange], of record: Document.RecordID
  ) throws {
    guard var fields = try fields(of: record) else { return }
    var undoing: [Document.FieldChange] = []
    for change in changes.reversed() {
      switch change.change {
      case .assign(let value, _): guard fields.value(at: change.path) == value else { continue }
      case .remove: guard fields.value(at: change.path) == nil else { continue }
      case .increment, .insert, .take: break
      }
      undoing.append(change.inverse)
      fields.apply([change.inverse])
    }
    guard !undoing.isEmpty else { return }
    try models[record.collection]?.type.validate(fields)
    staged.append(.update(record, undoing))
    records[record] = .fields(fields)
  }

  mutating func stageDeletion(of record: Document.RecordID) {
    staged.append(.delete(record))
    records[record] = .deleted
  }

  mutating func stageRestoration(of record: Document.RecordID) {
    guard !contains(record),
      let fields = document.deletedFields(of: record.record, in: record.collection)
    else { return }
    staged.append(.restore(record))
    records[record] = .fields(fields)
  }
}

extension Replicated {
  /// Refuses fields whose model must not be written.
  fileprivate static func validate(_ fields: [String: Document.Value]) throws {
    try Document.model(Self.self, from: fields).validate()
  }
}

extension Store {
  /// Takes back what a commit did: see ``Transaction/undo(_:)``.
  ///
  /// - Throws: ``RecordError``; what `validate()` throws; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func undo(_ receipt: Receipt) async throws -> Receipt {
    try await write { try $0.undo(receipt) }
  }
}
