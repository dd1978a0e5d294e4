import CRDTKit

extension StoreCore {
  /// What is to be sent now, and the commit that must be durable before it is.
  ///
  /// That is the last that says what operations do: which of them are done, a crash may
  /// take back, and the server is asked again.
  func nextBatch(at now: UInt64) throws(StoreError) -> (batch: OutboxBatch, commit: UInt64)? {
    try monitor.withLock { () throws(StoreError) in
      try checkWritable()
      return outbox.nextBatch(at: now).map { ($0, queuedCommit) }
    }
  }

  /// Takes in what a server answered to a batch, in memory; gives what followed.
  func received(
    _ answers: [OperationAnswer], for batch: OutboxBatch, at now: UInt64
  ) throws -> [OutboxAction] {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    var random = SystemRandomNumberGenerator()
    let effects = outbox.received(answers, for: batch.number, at: now, using: &random)
    var changes = noted(effects)
    for case .accepted(let operation, serverVersion: let version) in effects.actions {
      changes += note(operation, version)
    }
    _ = commitLocally(changes, .relaxed)
    var actions = effects.actions
    var failure: (any Error)?
    for case .rebase(let operation, let server) in effects.actions {
      // Where one can't be taken in, the others' lanes must not be left as they are.
      do {
        actions += try rebase(operation, on: server, at: now)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return actions
  }

  /// Takes in that a batch could not be sent, in memory; gives what followed.
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

  /// Commits what an outbox wants to be kept, in memory, and tells what happened.
  ///
  /// The monitor is held.
  func keep(_ effects: OutboxEffects) {
    let changes = noted(effects)
    guard failure == nil, log != nil, !isClosing else { return }
    _ = commitLocally(changes, .relaxed)
  }

  /// Tells what happened in an outbox, and notes what came of operations that the server
  /// doesn't do; gives what is to be kept.
  func noted(_ effects: OutboxEffects) -> [LocalChange] {
    tell(of: effects)
    return kept(by: effects)
  }

  func tell(of effects: OutboxEffects) {
    outboxActions?.append(contentsOf: effects.actions)
    for action in effects.actions { tell(of: action) }
  }

  /// What is to be kept, with what came of operations that the server doesn't do.
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

  /// Notes which version the server has of a record, now that an operation was done.
  func note(_ operation: OutboxOperation, _ version: String?) -> [LocalChange] {
    pagesUnderWay.note(operation.record)
    let known = serverVersions[operation.record]
    var entry = ServerVersions.Entry(
      version: version ?? known?.version, isDeleted: operation.kind == .delete)
    if !entry.isDeleted {
      entry.fields = known?.fields ?? ServerFields()
      entry.fields.note(operation.changes)
      // Where something else stands here, and isn't on its way, what the server has now is
      // compared with that when it says so.
      entry.fields.forget(unshown(operation))
    }
    guard entry != known else { return [] }
    serverVersions[operation.record] = entry
    return [ServerVersions.change(operation.record, entry)]
  }

  /// The fields that an operation assigned which show something else here, where that isn't
  /// to be sent.
  private func unshown(_ operation: OutboxOperation) -> [FieldPath] {
    let fields = heldFields(of: operation.record)
    let queued = outbox.unheard(of: operation.record).flatMap(\.changes)
    return operation.changes.filter { change in
      guard change.isAssignment, !queued.contains(where: change.overlaps) else { return false }
      let shown = fields.value(at: change.path)
      guard case .assign(let value, _) = change.change else { return shown != nil }
      return shown?.isWorth(value) != true
    }.map(\.path)
  }

  /// Takes in the server's record, and sends again what is still wanted then; gives what
  /// followed.
  private func rebase(
    _ operation: OutboxOperation, on server: ServerRecord, at now: UInt64
  ) throws -> [OutboxAction] {
    var random = SystemRandomNumberGenerator()
    let server = inOwnForms(server)
    pagesUnderWay.note(server.record)
    // The record may have been taken in before, with an answer that was lost, or by a
    // pull; what it has must count now all the same.
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

  /// Rebases what waits on a server's record that was taken in by itself, as it would be if
  /// the server answered with it; what is made or deleted waits for that.
  func rebaseWaiting(on server: ServerRecord, at now: UInt64) {
    let server = inOwnForms(server)
    let waiting = outbox.waiting(of: server.record)
    guard !waiting.isEmpty, !server.isDeleted, waiting.allSatisfy({ $0.kind == .update }),
      working.contains(server.record.record, in: server.record.collection)
    else { return }
    for operation in waiting {
      let remainder = remainder(of: operation, on: server)
      keep(
        outbox.replaced(
          operation.id, by: remainder.operation, losing: remainder.lost, at: now))
    }
    queuedCommit = appended
  }

  private static let syncedArea = "synced/"

  /// What is kept of when a collection was last in sync with the server.
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

extension StoreCore {
  /// A record of a server, with values in the forms in which its model has them: what JSON
  /// can't tell from a text, as a date, only the type of the field says.
  ///
  /// What the model can't read stays as it is. The monitor is held.
  func inOwnForms(_ server: ServerRecord) -> ServerRecord {
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
  /// Fields as the type would write them; `nil` where it can't read them.
  fileprivate static func ownForm(
    of fields: [String: Document.Value]
  ) -> [String: Document.Value]? {
    guard let model = try? model(from: fields) else { return nil }
    return try? model.keptFields()
  }
}
