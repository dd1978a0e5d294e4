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
    let before = (staged, origins, records, sharing, outcomesBeforeDeletion)
    do {
      for change in receipt.changes.reversed() { try undo(change) }
    } catch {
      (staged, origins, records, sharing, outcomesBeforeDeletion) = before
      throw error
    }
  }

  private mutating func undo(_ change: StagedChange) throws {
    let record = change.record
    try requireShared(record)
    switch change {
    case .create, .restore: if contains(record), !isLocal(record) { stageDeletion(of: record) }
    case .delete: stageRestoration(of: record)
    case .update(_, let changes), .revise(_, let changes, seen: _):
      try undo(changes, of: record)
    case .resolve: break
    }
  }

  mutating func undo(
    _ changes: [Document.FieldChange], of record: Document.RecordID
  ) throws {
    guard !isLocal(record), var fields = try fields(of: record) else { return }
    var undoing: [Document.FieldChange] = []
    for change in changes.reversed() {
      switch change.change {
      case .assign(let value, _): guard fields.value(at: change.path) == value else { continue }
      case .remove: guard fields.value(at: change.path) == nil else { continue }
      case .increment, .insert, .take: break
      }
      try requireCountable([change.inverse], over: fields, of: record)
      undoing.append(change.inverse)
      fields.apply([change.inverse])
    }
    guard !undoing.isEmpty else { return }
    staged.append(.update(record, undoing))
    let entry = models[record.collection]
    // A rule may refuse a value from before.
    if entry?.hasSelectiveRules == true { fields = stagedFields(of: record) ?? fields }
    do {
      try entry?.type.validate(fields)
    } catch {
      staged.removeLast()
      throw error
    }
    origins[record] = nil
    records[record] = .fields(fields)
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
