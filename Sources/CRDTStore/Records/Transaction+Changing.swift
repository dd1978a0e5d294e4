public import CRDTKit

extension Transaction {
  /// Creates a record.
  ///
  /// A record of its name that was deleted is replaced; what it held doesn't show again.
  ///
  /// - Parameters:
  ///   - model: The record.
  ///   - reach: Whether it is kept here alone, until ``publish(_:_:)``.
  /// - Throws: ``RecordError``; what `validate()` throws; `EncodingError`.
  public mutating func create<Model: Replicated>(
    _ model: Model, _ reach: RecordReach = .shared
  ) throws {
    let record = Model.record(model.id)
    let entry = try requireWritable(Model.self, record)
    guard !contains(record) else { throw RecordError.alreadyExists(record) }
    try model.validate()
    if reach == .localOnly {
      setLocal(record, try Document.fields(of: model))
    } else {
      let changes = try Document.changes(
        from: Model?.none, to: model, under: entry.rules.collection)
      origins[record] = (staged.count, nil)
      staged.append(.create(record, changes))
    }
    records[record] = .present(model)
  }

  /// Changes a record: fields that the body leaves alone are not written.
  ///
  ///     try tx.update(Note.self, "n1") { $0.likes += 2; $0.tags.insert("story") }
  ///
  /// A difference becomes an operation: a counter is counted up by 2, whatever others
  /// count meanwhile.
  ///
  /// - Returns: What the body returns.
  /// - Throws: ``RecordError``; what the body and `validate()` throw; `EncodingError`
  ///   and `DecodingError`.
  /// - Complexity: O(size of the record).
  @discardableResult
  public mutating func update<Model: Replicated, Result>(
    _ type: Model.Type, _ id: Model.ID, _ body: (inout Model) throws -> Result
  ) throws -> Result {
    let record = Model.record(id)
    let entry = try requireWritable(type, record)
    guard let base = try model(type, record) else { throw RecordError.notFound(record) }
    var model = base
    let result = try body(&model)
    try stage(model, from: base, of: record, entry)
    return result
  }

  /// Writes what the user of a draft has changed, and nothing else.
  ///
  /// - Throws: As ``update(_:_:_:)``; ``RecordError/notFound(_:)`` where the record was
  ///   deleted meanwhile: restore it first, if that is what the user wants.
  public mutating func commit<Model: Replicated>(_ draft: Draft<Model>) throws {
    let record = Model.record(draft.base.id)
    let entry = try requireWritable(Model.self, record)
    guard contains(record) else { throw RecordError.notFound(record) }
    try requireName(of: draft.model, record)
    let changes = try Document.changes(
      from: draft.base, to: draft.model, under: entry.rules.collection)
    guard !changes.isEmpty else { return }
    guard let current = try model(Model.self, record) else { return }
    var fields = try Document.fields(of: current)
    fields.apply(changes)
    let outcome = try Document.model(Model.self, from: fields)
    try outcome.validate()
    records[record] = .present(outcome)
    if isLocal(record) { return setLocal(record, fields) }
    origins[record] = nil
    staged.append(.revise(record, changes, seen: draft.version))
  }

  /// Deletes a record; it can be restored until it is purged.
  ///
  /// - Throws: ``RecordError``.
  public mutating func delete<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws {
    let record = Model.record(id)
    _ = try requireWritable(type, record)
    guard contains(record) else { throw RecordError.notFound(record) }
    records[record] = .deleted
    origins[record] = nil
    if isLocal(record) { return setLocal(record, nil) }
    staged.append(.delete(record))
  }

  /// Brings a deleted record back as it was.
  ///
  /// - Throws: ``RecordError/notFound(_:)`` where none was deleted, or it was purged.
  public mutating func restore<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws {
    let record = Model.record(id)
    _ = try requireWritable(type, record)
    if case .deleted? = records[record], document.contains(record.record, in: record.collection) {
      // It was deleted by this transaction.
      if let place = staged.lastIndex(of: .delete(record)) { staged[place] = .update(record, []) }
      records[record] = nil
      return
    }
    guard !contains(record),
      let fields = document.deletedFields(of: record.record, in: record.collection)
    else { throw RecordError.notFound(record) }
    records[record] = .fields(fields)
    staged.append(.restore(record))
  }

  /// Makes a record that was kept here alone one that all share.
  ///
  /// - Throws: ``RecordError/notFound(_:)`` where there is no such record.
  public mutating func publish<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws {
    let record = Model.record(id)
    let entry = try requireWritable(type, record)
    guard isLocal(record), let model = try model(type, record) else {
      throw RecordError.notFound(record)
    }
    setLocal(record, nil)
    origins[record] = (staged.count, nil)
    staged.append(
      .create(
        record,
        try Document.changes(from: Model?.none, to: model, under: entry.rules.collection)))
    records[record] = .present(model)
  }

  /// Settles a conflict by a value, for all replicas.
  ///
  /// - Throws: ``RecordError/noConflict(_:_:)`` where it was settled meanwhile.
  public mutating func resolve(_ conflict: Document.Conflict, with value: Document.Value) throws {
    let record = Document.RecordID(conflict.record, in: conflict.collection)
    try requireShared(record)
    guard
      document.conflict(of: conflict.path, of: conflict.record, in: conflict.collection) != nil
    else { throw RecordError.noConflict(record, conflict.path) }
    origins[record] = nil
    staged.append(.resolve(conflict, with: value))
    guard var fields = try fields(of: record) else { return }
    fields.apply([Document.FieldChange(conflict.path, .assign(value, before: nil))])
    records[record] = .fields(fields)
  }
}

extension Transaction {
  private mutating func stage<Model: Replicated>(
    _ model: Model, from base: Model, of record: Document.RecordID, _ entry: ModelRegistry.Entry
  ) throws {
    try requireName(of: model, record)
    var changes = try Document.changes(from: base, to: model, under: entry.rules.collection)
    guard !changes.isEmpty else { return }
    try model.validate()
    var outcome = model
    if entry.hasSelectiveRules, dropRefused(&changes, entry.rules.collection) {
      var fields = try Document.fields(of: base)
      fields.apply(changes)
      outcome = try Document.model(Model.self, from: fields)
    }
    try requireCountable(changes, record)
    records[record] = .present(outcome)
    if isLocal(record) { return setLocal(record, try Document.fields(of: outcome)) }
    try stage(changes, to: outcome, from: base, of: record, entry)
  }

  /// Stages changes of a record, as one with those that were staged just before.
  private mutating func stage<Model: Replicated>(
    _ changes: [Document.FieldChange], to model: Model, from base: Model,
    of record: Document.RecordID, _ entry: ModelRegistry.Entry
  ) throws {
    guard let (place, origin) = origins[record] else {
      origins[record] = (staged.count, base)
      staged.append(.update(record, changes))
      return
    }
    let all = try Document.changes(
      from: origin as? Model, to: model, under: entry.rules.collection)
    if case .create = staged[place] {
      staged[place] = .create(record, all)
    } else {
      staged[place] = .update(record, all)
    }
  }

  /// Leaves out values that would not win under their field's rule; says whether there
  /// were any.
  private func dropRefused(
    _ changes: inout [Document.FieldChange], _ rules: Schema.Collection
  ) -> Bool {
    let count = changes.count
    changes.removeAll { change in
      guard case .assign(let value, before: let shown?) = change.change else { return false }
      return !rules.rule(of: change.path).admits(value, over: shown)
    }
    return changes.count < count
  }

  /// Refuses counts that would leave the bounds.
  private func requireCountable(
    _ changes: [Document.FieldChange], _ record: Document.RecordID
  ) throws(RecordError) {
    for change in changes {
      guard case .increment(let amount) = change.change, amount != 0,
        case .int(let shown)? = document.value(
          of: change.path, of: record.record, in: record.collection)
      else { continue }
      if shown.addingReportingOverflow(amount).overflow {
        throw .counterOverflow(record, change.path)
      }
    }
  }

  private func requireName<Model: Replicated>(
    of model: Model, _ record: Document.RecordID
  ) throws(RecordError) {
    let name = "\(model.id)"
    guard Document.RecordID(name, in: record.collection) == record else {
      throw .renamed(record, to: name)
    }
  }

  private func requireWritable(
    _ type: any Replicated.Type, _ record: Document.RecordID
  ) throws(RecordError) -> ModelRegistry.Entry {
    let max = Document.Value.nameLengthMax
    for name in [record.record, record.collection] where name.utf8.count > max {
      throw .nameTooLong(bytes: name.utf8.count)
    }
    let entry = models.entry(of: type)
    try requireAllowed(entry.access, record.collection)
    return entry
  }

  /// Refuses a change of a record that must not be made here, or now.
  func requireShared(_ record: Document.RecordID) throws(RecordError) {
    try requireAllowed(models[record.collection]?.access ?? .none, record.collection)
  }

  private func requireAllowed(
    _ access: ServerAccess, _ collection: String
  ) throws(RecordError) {
    switch access {
    case .none, .queued: break
    case .readOnly: throw .readOnly(collection: collection)
    case .onlineOnly: guard isOnline else { throw .onlineOnly(collection: collection) }
    }
  }

  private mutating func setLocal(
    _ record: Document.RecordID, _ fields: [String: Document.Value]?
  ) {
    localRecordChanges[record] = .some(fields)
    local.append(LocalRecords.change(record, fields))
  }

  func fields(of record: Document.RecordID) throws -> [String: Document.Value]? {
    switch records[record] {
    case .present(let model)?: try Document.fields(of: model)
    case .fields(let fields)?: fields
    case .deleted?: nil
    case nil: document.fields(of: record.record, in: record.collection)
    }
  }
}

/// Who has a record.
public enum RecordReach: Hashable, Sendable {
  /// All replicas, and the server, if the collection has one.
  case shared
  /// This store alone, until it is published: nothing of it is sent.
  case localOnly
}
