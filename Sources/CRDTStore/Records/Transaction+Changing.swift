public import CRDTKit

extension Store.Transaction {
  /// Creates a record.
  ///
  /// A deleted record of the same name is replaced; its values don't appear again.
  ///
  /// - Throws: ``RecordError``; the errors of `validate()`; `EncodingError`.
  public mutating func create<Model: Replicated>(_ model: Model) throws {
    let (record, changes) = try changes(creating: model)
    stageCreation(of: record, changes, as: Model.self)
    records[record] = .present(model)
  }

  /// Creates a record that stays in this store alone until you call ``publish(_:_:)``.
  ///
  /// - Throws: The same as ``create(_:)``.
  public mutating func createLocally<Model: Replicated>(_ model: Model) throws {
    let (record, _) = try changes(creating: model)
    setLocal(record, try model.keptFields())
    records[record] = .present(model)
  }

  /// Changes a record: only the fields that the body changes are written.
  ///
  ///     try tx.update(Note.self, "n1") { $0.likes += 2; $0.tags.insert("story") }
  ///
  /// A difference becomes an operation: a counter is increased by 2, whatever others count
  /// meanwhile.
  ///
  /// - Returns: What the body returns.
  /// - Throws: ``RecordError``; the errors of the body and of `validate()`; `EncodingError`
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

  /// Writes only the fields that the user of a draft has changed.
  ///
  /// If others have removed a nested object of which the user has changed a part, that
  /// field is left out and listed in the receipt's ``Store/Receipt/omissions``: the record could
  /// not be read with that part alone.
  ///
  /// - Throws: The same as ``update(_:_:_:)``; ``RecordError/notFound(_:)`` if the record
  ///   was deleted meanwhile, also if another was made under its name: restore it first, if
  ///   the user wants that;
  ///   ``RecordError/draftCommitted(_:)`` if the draft was committed before.
  public mutating func commit<Model: Replicated>(_ draft: Store.Draft<Model>) throws {
    let record = Model.record(draft.base.id)
    let entry = try requireWritable(Model.self, record)
    guard !draft.isCommitted.withLock({ $0 }), !drafts.contains(where: { $0 === draft.isCommitted })
    else { throw RecordError.draftCommitted(record) }
    guard contains(record), isSame(record, madeBy: draft.births) else {
      throw RecordError.notFound(record)
    }
    try requireName(of: draft.model, record)
    var (changes, made) = try Document.differences(
      from: draft.base, to: draft.model, under: entry.rules.collection)
    guard !changes.isEmpty, var fields = try fields(of: record) else { return }
    try entry.requireSuitableRules(of: changes, to: record)
    try requireCountable(changes, over: fields, of: record)
    guard isLocal(record) else {
      let isWritten = try stage(changes, of: record, over: fields, as: Model.self) { changes in
        .revise(record, changes, making: made, seen: draft.version)
      }
      if isWritten { drafts.append(draft.isCommitted) }
      return
    }
    // Nobody else writes this record, so no changes can have arrived meanwhile.
    let rules = entry.rules.collection
    changes.removeAll { $0.isRefused(under: rules, over: fields.value(at: $0.path)) }
    fields.apply(changes)
    let outcome = try Model.model(from: fields)
    try outcome.validate()
    records[record] = .present(outcome)
    setLocal(record, fields)
    drafts.append(draft.isCommitted)
  }

  /// Deletes a record; you can restore it until it is purged.
  ///
  /// If the record is shared, a record of the same name that is kept in this store only is
  /// deleted with it.
  ///
  /// - Throws: ``RecordError``.
  public mutating func delete<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws {
    let record = Model.record(id)
    _ = try requireWritable(type, record)
    guard contains(record) else { throw RecordError.notFound(record) }
    if isLocal(record) {
      origins[record] = nil
      outcomesBeforeDeletion[record] = nil
      records[record] = .deleted
    } else {
      stageDeletion(of: record)
    }
    if isKeptHere(record) { setLocal(record, nil) }
  }

  /// Restores a deleted record as it was.
  ///
  /// - Throws: ``RecordError/notFound(_:)`` if none was deleted, or it was purged. For the
  ///   remains of a purged record, see ``restore(_:)``.
  public mutating func restore<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws {
    let record = Model.record(id)
    _ = try requireWritable(type, record)
    guard stageRestoration(of: record) else { throw RecordError.notFound(record) }
  }

  /// Shares a record that was kept in this store only.
  ///
  /// - Throws: ``RecordError/notFound(_:)`` if there is no such record;
  ///   ``RecordError/alreadyExists(_:)`` if there is another shared record of the same
  ///   name.
  public mutating func publish<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws {
    let record = Model.record(id)
    let entry = try requireWritable(type, record)
    if isKeptHere(record), !isLocal(record) { throw RecordError.alreadyExists(record) }
    guard isLocal(record), let model = try model(type, record),
      let fields = try fields(of: record)
    else { throw RecordError.notFound(record) }
    let rules = entry.rules.collection
    var changes = try Document.changes(from: Model?.none, to: model, under: rules)
    // Fields that another version of the app has written, and this one doesn't know.
    changes += Document.changes(
      creating: fields, beyond: try model.keptFields(), under: rules)
    setLocal(record, nil)
    stageCreation(of: record, changes, as: type)
    // The type knows only a part of these changes, so later changes aren't joined with
    // them.
    origins[record] = nil
    records[record] = .fields(fields)
  }

  /// Resolves a conflict by a value, for all replicas.
  ///
  /// - Throws: ``RecordError/noConflict(_:_:)`` if it was resolved meanwhile; the errors of
  ///   `validate()`; `DecodingError` if the record could then not be read any more;
  ///   `Document.UnstorableValue`.
  public mutating func resolve(_ conflict: Document.Conflict, with value: Document.Value) throws {
    let record = Document.RecordID(conflict.record, in: conflict.collection)
    try requireShared(record)
    guard contains(record),
      document.conflict(of: conflict.path, of: conflict.record, in: conflict.collection) != nil
    else { throw RecordError.noConflict(record, conflict.path) }
    try value.requireRoom(at: conflict.path)
    let type = models[record.collection]?.type
    // A record that couldn't be read before need not be readable afterwards.
    let isReadable = try fields(of: record).map { fields in type?.canRead(fields) == true }
    try stage(.resolve(conflict, with: value), as: isReadable == true ? type : nil)
  }
}

extension Store.Transaction {
  /// The record that creating a model makes, and its fields.
  private mutating func changes<Model: Replicated>(
    creating model: Model
  ) throws -> (Document.RecordID, [Document.FieldChange]) {
    let record = Model.record(model.id)
    let entry = try requireWritable(Model.self, record)
    guard !contains(record) else { throw RecordError.alreadyExists(record) }
    try model.validate()
    let changes = try Document.changes(from: Model?.none, to: model, under: entry.rules.collection)
    try entry.requireSuitableRules(of: changes, to: record)
    outcomesBeforeDeletion[record] = nil
    return (record, changes)
  }

  private mutating func stage<Model: Replicated>(
    _ model: Model, from base: Model, of record: Document.RecordID, _ entry: ModelRegistry.Entry
  ) throws {
    try requireName(of: model, record)
    var (changes, made) = try Document.differences(
      from: base, to: model, under: entry.rules.collection)
    guard !changes.isEmpty else { return }
    try entry.requireSuitableRules(of: changes, to: record)
    try model.validate()
    var outcome = model
    if entry.hasSelectiveRules, dropRefused(&changes, entry.rules.collection) {
      var fields = try base.keptFields()
      fields.apply(changes)
      outcome = try Model.model(from: fields)
    }
    guard isLocal(record) else {
      let large = changes.filter(\.countsFar)
      let before = large.isEmpty ? nil : (staged, origins)
      try stage(changes, making: made, to: outcome, from: base, of: record, entry)
      if let before, let path = try uncounted(large, of: record, after: outcome) {
        (staged, origins) = before
        throw RecordError.counterOverflow(record, path)
      }
      records[record] = .present(outcome)
      return
    }
    guard var fields = try fields(of: record) else { return }
    fields.apply(changes)
    records[record] = .present(outcome)
    setLocal(record, fields)
  }

  /// Stages changes of a record, joined with the last staged ones where possible.
  private mutating func stage<Model: Replicated>(
    _ changes: [Document.FieldChange], making made: [FieldPath], to model: Model,
    from base: Model, of record: Document.RecordID, _ entry: ModelRegistry.Entry
  ) throws {
    guard let origin = origins[record], origin.type == Model.self else {
      origins[record] = Origin(place: staged.count, base: base, type: Model.self)
      staged.append(.update(record, changes, making: made))
      return
    }
    let (all, allMade) = try Document.differences(
      from: origin.base as? Model, to: model, under: entry.rules.collection)
    if case .create = staged[origin.place] {
      staged[origin.place] = .create(record, all)
    } else {
      staged[origin.place] = .update(record, all, making: allMade)
    }
  }

  /// Stages a change whose result the document determines: it may meet values that its
  /// author hasn't seen.
  mutating func stage(
    _ change: StagedChange, as type: (any Replicated.Type)?
  ) throws {
    let record = change.record
    staged.append(change)
    guard let fields = stagedFields(of: record) else { return }
    do {
      try type?.validate(fields)
    } catch {
      staged.removeLast()
      throw error
    }
    origins[record] = nil
    records[record] = .fields(fields)
  }

  /// Stages those changes that leave a record readable; returns whether there are any.
  private mutating func stage<Model: Replicated>(
    _ changes: [Document.FieldChange], of record: Document.RecordID,
    over fields: [String: Document.Value], as type: Model.Type,
    _ make: ([Document.FieldChange]) -> StagedChange
  ) throws -> Bool {
    do {
      try stage(make(changes), as: type)
      return true
    } catch let error as DecodingError {
      guard type.canRead(fields) else { throw error }
    }
    var kept: [Document.FieldChange] = []
    let names = Set(changes.compactMap(\.path.names.first)).sorted { $0.comes(before: $1) }
    for name in names {
      let attempt = changes.filter { $0.path.names.first == name || kept.contains($0) }
      staged.append(make(attempt))
      let isReadable = stagedFields(of: record).map { type.canRead($0) } == true
      staged.removeLast()
      if isReadable { kept = attempt } else { leave(record, .unreadable, [name]) }
    }
    if kept.isEmpty { return false }
    try stage(make(kept), as: type)
    return true
  }

  private mutating func stageCreation(
    of record: Document.RecordID, _ changes: [Document.FieldChange],
    as type: any Replicated.Type
  ) {
    origins[record] = Origin(place: staged.count, base: nil, type: type)
    sharing[record] = true
    staged.append(.create(record, changes))
  }

  mutating func stageDeletion(of record: Document.RecordID) {
    outcomesBeforeDeletion[record] = .some(records[record])
    origins[record] = nil
    sharing[record] = false
    staged.append(.delete(record))
    records[record] = .deleted
  }

  /// Stages the restoration of a record; returns whether there is one to restore.
  @discardableResult
  mutating func stageRestoration(of record: Document.RecordID) -> Bool {
    if case .deleted? = records[record],
      let before = outcomesBeforeDeletion.removeValue(forKey: record)
    {
      // This transaction deleted it, and now takes that back.
      if let place = staged.lastIndex(of: .delete(record)) { staged[place] = .update(record, []) }
      sharing[record] = true
      records[record] = before
      return true
    }
    guard !contains(record),
      let fields = document.deletedFields(of: record.record, in: record.collection)
    else { return false }
    origins[record] = nil
    sharing[record] = true
    staged.append(.restore(record))
    records[record] = .fields(fields)
    return true
  }

  /// Drops values that would not win under their field's rule; returns whether there were
  /// any.
  private func dropRefused(
    _ changes: inout [Document.FieldChange], _ rules: Schema.Collection
  ) -> Bool {
    let count = changes.count
    changes.removeAll { change in
      guard case .assign(_, let before) = change.change else { return false }
      return change.isRefused(under: rules, over: before)
    }
    return changes.count < count
  }

  /// Throws if counts would leave the bounds.
  func requireCountable(
    _ changes: [Document.FieldChange], over fields: [String: Document.Value],
    of record: Document.RecordID
  ) throws(RecordError) {
    for change in changes {
      guard case .increment(let amount) = change.change,
        case .int(let shown)? = fields.value(at: change.path)
      else { continue }
      if shown.addingReportingOverflow(amount).overflow {
        throw .counterOverflow(record, change.path)
      }
    }
  }

  /// A counter that would not show what was staged last: the replica's running totals have
  /// no room for more, though their sum has.
  private func uncounted(
    _ changes: [Document.FieldChange], of record: Document.RecordID, after model: some Replicated
  ) throws -> FieldPath? {
    guard let fields = stagedFields(of: record) else { return nil }
    let expected = try model.keptFields()
    return changes.first { fields.value(at: $0.path) != expected.value(at: $0.path) }?.path
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
    let max = Document.Value.maximumNameLength
    for name in [record.record, record.collection] where name.utf8.count > max {
      throw .nameTooLong(bytes: name.utf8.count)
    }
    guard let entry = models[type.collection] else {
      throw .unknownModel(collection: type.collection)
    }
    try requireAllowed(entry.access, record.collection)
    return entry
  }

  /// Throws if a record must not be changed here, or not now.
  func requireShared(_ record: Document.RecordID) throws(RecordError) {
    try requireAllowed(models[record.collection]?.access ?? .peersOnly, record.collection)
  }

  private func requireAllowed(
    _ access: ServerAccess, _ collection: String
  ) throws(RecordError) {
    switch access {
    case .peersOnly, .queued, .queuedAsEdits: break
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
}

extension Document.FieldChange {
  /// Whether it assigns a value that would not win over the current one.
  fileprivate func isRefused(
    under rules: Schema.Collection, over shown: Document.Value?
  ) -> Bool {
    guard case .assign(let value, _) = change, let shown else { return false }
    return !rules.rule(of: path).admits(value, over: shown)
  }

  /// Whether it counts so much that a few such counts fill a replica's running totals.
  fileprivate var countsFar: Bool {
    if case .increment(let amount) = change { amount.magnitude > 1 << 48 } else { false }
  }
}
