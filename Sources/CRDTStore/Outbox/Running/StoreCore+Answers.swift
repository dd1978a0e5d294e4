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
    var changes = effects.localChanges
    for action in effects.actions {
      tell(of: action)
      if case .accepted(let operation, serverVersion: let version) = action {
        changes += note(operation, version)
      }
    }
    _ = commitLocally(changes, .relaxed)
    var failure: (any Error)?
    for case .rebase(let operation, let server) in effects.actions {
      // Where one can't be taken in, the others' lanes must not be left as they are.
      do { try rebase(operation, on: server, at: now) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    return effects.actions
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
    for action in effects.actions { tell(of: action) }
    guard failure == nil, log != nil, !isClosing else { return }
    _ = commitLocally(effects.localChanges, .relaxed)
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
    }
    guard entry != known else { return [] }
    serverVersions[operation.record] = entry
    return [ServerVersions.change(operation.record, entry)]
  }

  /// Takes in the server's record, and sends again what is still wanted then.
  private func rebase(
    _ operation: OutboxOperation, on server: ServerRecord, at now: UInt64
  ) throws {
    var random = SystemRandomNumberGenerator()
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
    keep(
      outbox.rebased(
        operation.id, to: left(of: operation, on: server), at: now, using: &random))
    queuedCommit = appended
  }

  /// What of an operation is still wanted now that the server's record was taken in.
  private func left(of operation: OutboxOperation, on server: ServerRecord) -> OutboxOperation? {
    let (record, collection) = (operation.record.record, operation.record.collection)
    let isPresent = working.contains(record, in: collection)
    var rebased = operation
    rebased.baseVersion = server.version
    if operation.kind == .delete, !isPresent || server.isDeleted {
      return server.isDeleted ? nil : rebased
    }
    // What was changed before a deletion that is still to be sent must be there if that
    // loses: from here on it counts as what the server has.
    let isToBeDeleted = outbox.operations(of: operation.record).contains { $0.kind == .delete }
    guard isPresent || (isToBeDeleted && !server.isDeleted) else { return nil }
    let fields = heldFields(of: operation.record)
    if server.isDeleted {
      rebased.kind = .create
      rebased.changes = fieldsRemade(by: operation).assignments()
      return rebased
    }
    rebased.kind = .update
    var changes = operation.changes
    if operation.kind != .update {
      // Beside what the server has, only what differs from before adds up with that.
      let rules = working.schema.collections[collection] ?? Schema.Collection()
      changes = changes.flatMap { $0.differences(under: rules) }
    }
    rebased.changes = changes.filter { change in
      guard working.conflict(of: change.path, of: record, in: collection) == nil else {
        return false
      }
      let shown = fields.value(at: change.path)
      let there = server.fields.value(at: change.path)
      switch change.change {
      case .assign(let value, _):
        return shown?.isWorth(value) == true && there?.isWorth(value) != true
      case .remove: return shown == nil && there != nil
      case .increment, .insert, .take: return true
      }
    }
    return rebased.changes.isEmpty ? nil : rebased
  }

  /// What a record holds that is made anew by an operation: all but what the other
  /// operations do, which they do when they are sent.
  private func fieldsRemade(by operation: OutboxOperation) -> [String: Document.Value] {
    let record = operation.record
    let queued = outbox.operations(of: record)
    let place = queued.firstIndex { $0.id == operation.id } ?? 0
    let reached = base(of: record, without: Array(queued.dropFirst(place + 1)))
    guard place > 0 else { return reached }
    // Those made before it are dead letters, or come after it now. Without them, what they
    // have changed is as it was before, and so is what it has changed since: it does that
    // again.
    var fields = base(of: record, without: queued)
    fields.apply(
      operation.changes.map { change in
        guard change.isAssignment else { return change }
        let value = reached.value(at: change.path)
        let kind = value.map { Document.FieldChange.Kind.assign($0, before: nil) }
        return Document.FieldChange(change.path, kind ?? .remove(before: nil))
      })
    return fields
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
