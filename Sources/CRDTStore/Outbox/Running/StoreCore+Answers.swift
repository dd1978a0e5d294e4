import CRDTKit

extension StoreCore {
  /// The batch to send now, and the commit that must be durable before it is sent.
  ///
  /// That is the last commit that queued an operation. A crash may revert later commits
  /// that record answers; the server is then asked again.
  func nextBatch(at now: UInt64) throws(StoreError) -> (batch: OutboxBatch, commit: UInt64)? {
    try monitor.withLock { () throws(StoreError) in
      try checkWritable()
      guard var batch = outbox.nextBatch(at: now) else { return nil }
      for operation in batch.operations {
        batch.serverTexts[operation.record] = texts(under: operation)
      }
      return (batch, queuedCommit)
    }
  }

  /// Processes a server's answers to a batch, in memory.
  ///
  /// Returns the resulting actions.
  func received(
    _ answers: [Outbox.Answer], for batch: OutboxBatch, at now: UInt64
  ) throws -> [OutboxAction] {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    var random = SystemRandomNumberGenerator()
    let retried = batch.operations.map(\.id).filter { outbox.isRetried($0) }
    let effects = outbox.received(answers, for: batch.number, at: now, using: &random)
    var changes = noted(effects)
    for case .accepted(let operation, serverVersion: let version) in effects.actions {
      changes += note(
        operation, version, isQueued: true, isRetried: retried.contains(operation.id))
    }
    _ = commitLocally(changes, .relaxed)
    var actions = effects.actions
    var failure: (any Error)?
    for case .rebase(let operation, let server) in effects.actions {
      // If one answer can't be applied, the lanes of the others must still be updated.
      do {
        actions += try rebase(operation, on: server, at: now)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return actions
  }

  /// Processes the failure of a batch, in memory.
  ///
  /// Returns the resulting actions.
  func failed(
    _ batch: OutboxBatch, _ error: RemoteError, at now: UInt64
  ) throws(StoreError) -> [OutboxAction] {
    try monitor.withLock { () throws(StoreError) in
      var random = SystemRandomNumberGenerator()
      let effects = outbox.failed(batch.number, with: error, at: now, using: &random)
      keep(effects)
      return effects.actions
    }
  }

  /// Commits the values of an outbox's effects, in memory, and reports its actions.
  ///
  /// Requires the monitor's lock.
  func keep(_ effects: OutboxEffects) {
    let changes = noted(effects)
    guard failure == nil, log != nil, !isClosing else { return }
    _ = commitLocally(changes, .relaxed)
  }

  /// Reports the actions of an outbox, and records the outcomes of operations that the
  /// server does not apply.
  ///
  /// Returns the values to store.
  func noted(_ effects: OutboxEffects) -> [LocalChange] {
    tell(of: effects)
    return kept(by: effects)
  }

  func tell(of effects: OutboxEffects) {
    outboxActions?.append(contentsOf: effects.actions)
    for action in effects.actions {
      switch action {
      case .accepted, .coalesced, .backlog, .credentialsNeeded: break
      // What the operation has written is not what it tells, or is not told at all.
      case .deadLettered, .superseded, .discarded, .retried, .rebase: queuedRun = CommitRun()
      }
      tell(of: action)
    }
  }

  /// The values to store, including the outcomes of operations that the server does not
  /// apply.
  func kept(by effects: OutboxEffects) -> [LocalChange] {
    var changes = effects.localChanges
    for action in effects.actions {
      switch action {
      case .superseded(let operation): changes.append(outcomes.note(.superseded, operation))
      case .discarded(let operation): changes.append(outcomes.note(.discarded, operation))
      case .accepted, .coalesced, .deadLettered, .retried, .rebase, .backlog, .credentialsNeeded:
        break
      }
    }
    return changes
  }

  /// Records the server's version of a record after an operation was applied.
  ///
  /// If a record that was applied may have held what a retried dead letter did, all records of
  /// the collection are requested again: what was counted twice then shows as a difference.
  /// `isQueued` is whether a commit has queued the operation, so its changes are made, and
  /// `mayRepeat` whether the server may have repeated its answer to other contents.
  func note(
    _ operation: Outbox.Operation, _ version: String?, isQueued: Bool = false,
    isRetried: Bool = false, mayRepeat: Bool = false
  ) -> [LocalChange] {
    pagesUnderWay.note(operation.record)
    let known = serverVersions[operation.record]
    var entry = ServerVersions.Entry(
      version: version ?? known?.version, isDeleted: operation.kind == .delete,
      mayHoldRefused: known?.mayHoldRefused ?? false)
    let isAskedAnew = isRetried && entry.mayHoldRefused
    if isAskedAnew { entry.mayHoldRefused = false }
    if !entry.isDeleted {
      entry.fields = known?.fields ?? ServerFields()
      entry.fields.note(operation.changes)
      // If a field shows another value here that is not pending, forget it, so that the
      // server's next value is compared with that.
      entry.fields.forget(unshown(operation, isQueued: isQueued))
      if !isRetried, !mayRepeat { entry.texts = texts(after: operation, since: known, version) }
    }
    guard isAskedAnew || entry != known else { return [] }
    serverVersions[operation.record] = entry
    let change = ServerVersions.change(operation.record, entry)
    return isAskedAnew
      ? [change, Self.noCursorChange(operation.record.collection)] : [change]
  }

  /// The fields that an operation assigned, but that show another value here that is not
  /// pending.
  private func unshown(_ operation: Outbox.Operation, isQueued: Bool) -> [FieldPath] {
    let record = operation.record
    let others = outbox.unheard(of: record)
    let queued = others.flatMap(\.changes)
    var done = operation.changes.filter { change in
      change.isAssignment && !queued.contains(where: change.overlaps)
    }
    // If nothing but plain queued writes changed the document since, and none that waits or was
    // refused changed the record, then what was assigned is shown.
    if isQueued, queuedRun.has(operation.dots, by: operation.id.dot.replica, of: working.document),
      others.isEmpty
    {
      let rules = working.document.schema.collections[record.collection]
      let shown = done.partition { $0.showsWhatItAssigns(under: rules) }
      assert(different(done[shown...], of: record).isEmpty, "a field shows another value")
      done.removeSubrange(shown...)
    }
    return different(done[...], of: record)
  }

  /// The fields that show another value than was assigned to them.
  private func different(
    _ changes: ArraySlice<Document.FieldChange>, of record: Document.RecordID
  ) -> [FieldPath] {
    guard !changes.isEmpty else { return [] }
    // Few operations change all fields of a record, so they aren't all read.
    let paths = changes.map(\.path)
    let shown = working.document.storedValues(of: paths, of: record.record, in: record.collection)
    return zip(changes, shown).compactMap { change, shown in
      guard case .assign(let value, _) = change.change else {
        return shown == nil ? nil : change.path
      }
      return shown?.isWorth(value) == true ? nil : change.path
    }
  }

  /// Applies the server's record, and sends the changes that are still wanted.
  ///
  /// Returns the resulting actions.
  private func rebase(
    _ operation: Outbox.Operation, on server: Outbox.ServerRecord, at now: UInt64
  ) throws -> [OutboxAction] {
    var random = SystemRandomNumberGenerator()
    let server = inOwnForms(server)
    pagesUnderWay.note(server.record)
    // The record may have been applied before, with a lost answer or by a pull. It must
    // still count now.
    serverVersions[server.record]?.version = nil
    do {
      _ = try takeIn([server])
    } catch {
      keep(outbox.rebased(operation.id, to: operation, at: now, using: &random))
      throw error
    }
    let remainder = remainder(of: operation, on: server)
    let effects = outbox.rebased(
      operation.id, to: remainder.operation, losing: remainder.lost, at: now, using: &random)
    keep(effects)
    queuedCommit = appended
    return effects.actions
  }

  /// Rebases pending operations on a server's record that was pulled, as if the server had
  /// answered with it.
  ///
  /// Creations and deletions wait for an answer.
  func rebaseWaiting(on server: Outbox.ServerRecord, at now: UInt64) {
    let server = inOwnForms(server)
    let waiting = outbox.waiting(of: server.record)
    guard !waiting.isEmpty, !server.isDeleted, waiting.allSatisfy({ $0.kind == .update }),
      working.document.contains(server.record.record, in: server.record.collection)
    else { return }
    queuedRun = CommitRun()
    for id in waiting.map(\.id) {
      // What an earlier one has lost may have changed the later ones' previous values.
      guard let operation = outbox.waiting(of: server.record).first(where: { $0.id == id })
      else { continue }
      let remainder = remainder(of: operation, on: server)
      keep(
        outbox.replaced(
          operation.id, by: remainder.operation, losing: remainder.lost, at: now))
    }
    queuedCommit = appended
  }

  private static let syncedArea = "synced/"

  /// The change that stores when a collection was last in sync with the server.
  static func syncedChange(_ collection: String, at now: UInt64) -> LocalChange {
    var writer = ByteWriter()
    writer.write(varint: now)
    return LocalChange(key: syncedArea + collection, value: writer.finish())
  }

  /// When a collection was last in sync with the server, in milliseconds since 1970.
  func lastSynced(_ collection: String) -> UInt64? {
    local[Self.syncedArea + collection].flatMap { bytes in
      var reader = ByteReader(bytes)
      return try? reader.readVarint()
    }
  }
}

extension Document.FieldChange {
  /// Whether the field shows just what this assigns, until something else changes it.
  fileprivate func showsWhatItAssigns(under rules: Schema.Collection?) -> Bool {
    guard path.names.count == 1, let after else { return false }
    let rule = rules?.rule(of: path) ?? .lastWriterWins
    return switch after {
    case .int: rule == .lastWriterWins || rule == .counter
    case .bool, .double, .string, .bytes, .timestamp: rule == .lastWriterWins
    case .null, .array, .object: false
    }
  }
}

extension StoreCore {
  /// A server's record, with values in the forms of its model.
  ///
  /// Only the field's type can tell a date from a string, because JSON can't.
  ///
  /// Values that the model can't read stay unchanged. Requires the monitor's lock.
  func inOwnForms(_ server: Outbox.ServerRecord) -> Outbox.ServerRecord {
    guard !server.isDeleted, let model = options.models[server.record.collection]?.type else {
      return server
    }
    var server = server
    let held = server.fields.isEmpty ? [:] : heldFields(of: server.record)
    guard let own = model.ownForm(of: held.merging(server.fields) { $1 }) else { return server }
    for (name, value) in server.fields {
      if let own = own[name] { server.fields[name] = value.takingForm(of: own) }
    }
    return server
  }
}

extension Replicated {
  /// The fields in the form that the type writes; `nil` if it can't read them.
  fileprivate static func ownForm(
    of fields: [String: Document.Value]
  ) -> [String: Document.Value]? {
    guard let model = try? model(from: fields) else { return nil }
    return try? model.keptFields()
  }
}
