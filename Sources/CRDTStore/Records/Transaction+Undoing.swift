import CRDTKit

extension Transaction {
  /// Takes back what a commit did, by changes that do the opposite.
  ///
  /// What it counted is counted back, elements that it inserted are taken out, records
  /// that it created are deleted, and those that it deleted restored. A field that it
  /// assigned gets the value from before, unless someone has assigned it since. How a
  /// conflict was settled isn't taken back, nor that an orphan was discarded, nor what is
  /// kept here alone; and what a
  /// deleted record held doesn't come back where one of its name was created in its
  /// place.
  ///
  /// - Throws: ``RecordError``; what `validate()` throws.
  public mutating func undo(_ receipt: Receipt) throws {
    let before = (staged, origins, records, sharing, outcomesBeforeDeletion)
    do {
      var deleted: Set<Document.RecordID> = []
      for change in receipt.changes.reversed() { try undo(change, &deleted) }
    } catch {
      (staged, origins, records, sharing, outcomesBeforeDeletion) = before
      throw error
    }
  }

  private mutating func undo(
    _ change: StagedChange, _ deleted: inout Set<Document.RecordID>
  ) throws {
    let record = change.record
    try requireShared(record)
    switch change {
    case .create, .restore, .restoreOrphan:
      guard contains(record), !isLocal(record) else { return }
      stageDeletion(of: record)
      deleted.insert(record)
    case .delete:
      // What was deleted was replaced since, and only what replaced it could come back.
      if !deleted.contains(record) { stageRestoration(of: record) }
    case .update(_, let changes, let made), .revise(_, let changes, let made, seen: _):
      try undo(changes, making: made, of: record)
    case .resolve, .discardOrphan: break
    }
  }

  /// Takes back changes, and what they made where nothing is left in it.
  mutating func undo(
    _ changes: [Document.FieldChange], making made: [FieldPath] = [],
    of record: Document.RecordID
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
    for path in made.reversed() {
      guard let left = fields.value(at: path), left.isEmpty else { continue }
      let removal = Document.FieldChange(path, .remove(before: left))
      undoing.append(removal)
      fields.apply([removal])
    }
    // Where nobody knows any more what was made, what can't be read tells.
    if made.isEmpty, let type = models[record.collection]?.type, !type.canRead(fields) {
      for path in changes.madeWithin where fields.value(at: path) == [:] {
        let removal = Document.FieldChange(path, .remove(before: [:]))
        undoing.append(removal)
        fields.apply([removal])
      }
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

extension [Document.FieldChange] {
  /// The objects, inner ones first, in which fields were made.
  fileprivate var madeWithin: [FieldPath] {
    flatMap { change -> [FieldPath] in
      guard case .assign(_, before: nil) = change.change else { return [] }
      return (1..<Swift.max(1, change.path.names.count)).reversed().map {
        FieldPath([String](change.path.names.prefix($0)))
      }
    }
  }
}

extension Document.Value {
  /// Whether it is what an object, a counter or a set begins with.
  fileprivate var isEmpty: Bool { self == [:] || self == [] || self == 0 }
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
