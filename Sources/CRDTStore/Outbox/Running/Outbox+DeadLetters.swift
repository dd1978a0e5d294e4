import CRDTKit

extension Outbox {
  /// The operations that failed for good, in the order in which they were made.
  ///
  /// What they did is still in the records: a refusal is not a deletion. The list may be
  /// ahead of the disk, as ``pending`` may.
  ///
  /// - Complexity: O(n log n)
  public var deadLetters: [OutboxOperation] {
    core.monitor.withLock { core.outbox.deadLetters }
  }

  /// The operations that are to be sent, in the order in which they were made.
  ///
  /// Those of commits that wait for the disk are among them: a crash may take these.
  ///
  /// - Complexity: O(n log n)
  public var pending: [OutboxOperation] {
    core.monitor.withLock { core.outbox.pending }
  }

  /// When something that waits is to be sent again, in milliseconds since 1970; `nil`
  /// where nothing waits for its time.
  public var nextAttemptMilliseconds: UInt64? {
    let now = now
    return core.monitor.withLock { core.outbox.wakeMilliseconds(after: now) }
  }

  /// Sends a dead letter again, or what waits without waiting further: at the next
  /// ``drain(within:)``.
  ///
  /// Of a dead letter only that is sent which nothing later has written, here or at the
  /// server, and which is still here; the rest is superseded, with an event.
  ///
  /// - Throws: ``StoreError``.
  public func retry(_ id: OperationID) async throws(StoreError) {
    let commit = try core.monitor.withLock { () throws(StoreError) in
      try core.checkWritable()
      core.retry(id)
      return core.appended
    }
    try await core.untilDurable(commit)
  }

  /// Sends all that waits at the next ``drain(within:)``, without waiting further.
  public func retryWaiting() {
    core.monitor.withLock { core.outbox.retryWaiting() }
  }

  /// Lets what waits for credentials be sent again.
  public func credentialsRenewed() {
    core.monitor.withLock { core.outbox.credentialsRenewed() }
  }

  /// What becomes of the changes of a dead letter that is discarded.
  public enum Disposal: Hashable, Sendable {
    /// They stay as they are, here and at peers.
    case keeping
    /// They are taken back, unless someone has changed them since. With the last of them
    /// a record goes that the server has deleted meanwhile.
    case reverting
  }

  /// Forgets a dead letter.
  ///
  /// - Returns: The operation; `nil` where it is no dead letter.
  /// - Throws: ``StoreError``; ``RecordError`` where its changes can't be taken back,
  ///   and then it is still there.
  @discardableResult
  public func discard(
    _ id: OperationID, _ disposal: Disposal
  ) async throws -> OutboxOperation? {
    try await core.answer(.full) {
      try core.discard(id, isReverting: disposal == .reverting)
    }
  }
}

extension StoreCore {
  /// Sends a dead letter again, as far as it is still wanted, or what waits without waiting
  /// further, in memory.
  ///
  /// The monitor is held, and the store can be written.
  func retry(_ id: OperationID) {
    let queued = outbox.operations(of: id.record)
    guard let letter = queued.first(where: { $0.id == id && $0.failure != nil }) else {
      return keep(outbox.retry(id))
    }
    let remainder = remainder(ofRetried: letter)
    if let operation = remainder.operation {
      keep(outbox.retry(id, as: operation, losing: remainder.lost))
    } else {
      keep(outbox.supersede(id))
    }
    queuedCommit = appended
  }

  /// Forgets a dead letter, and takes back its changes if they are not to stay, in
  /// memory.
  fileprivate func discard(
    _ id: OperationID, isReverting: Bool
  ) throws -> (OutboxOperation?, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let queued = outbox.operations(of: id.record)
    guard let operation = queued.first(where: { $0.id == id && $0.failure != nil }) else {
      return (nil, commitRead(.full))
    }
    let undone = reverted(operation)
    let plan = isReverting ? try plan { try $0.revert(undone) } : Plan()
    // Where they can't be committed, it stays.
    let before = (outbox, outcomes)
    let effects = outbox.discard(id, isReverted: isReverting).effects
    // The server never had the changes, so it isn't told that they are gone.
    do { _ = try commit(plan, .full, isQueued: false, keeping: kept(by: effects)) } catch {
      (outbox, outcomes) = before
      throw error
    }
    tell(of: effects)
    if isReverting, queued.count == 1 { try repeatDeletion(of: id.record) }
    return (operation, commit: appended)
  }

  /// An operation that is to be taken back, with what the server has as what was before where
  /// it has said that since.
  private func reverted(_ operation: OutboxOperation) -> OutboxOperation {
    var operation = operation
    let (record, collection) = (operation.record.record, operation.record.collection)
    operation.changes = operation.changes.map { change in
      guard change.isAssignment else { return change }
      let known = working.alternatives(of: change.path, of: record, in: collection)
        .first { $0.replica.principal == options.authority }
      return known.map { change.replacing(before: $0.value) } ?? change
    }
    return operation
  }

  /// Deletes a record that the server has deleted, if nothing but what was reverted has
  /// kept it here.
  ///
  /// It goes into the same frame as what comes before it, since the monitor is held.
  private func repeatDeletion(of record: Document.RecordID) throws {
    guard serverVersions[record]?.isDeleted == true else { return }
    let (own, authority) = (identity.replica, options.authority)
    let isSeen: (Dot) -> Bool = { $0.replica == own || $0.replica.principal == authority }
    _ = try editLocked(.relaxed, as: authority.delegate(for: own)) { editor in
      editor.seeing(isSeen) { $0.delete(record.record, in: record.collection) }
    }
  }
}

extension Transaction {
  /// Takes back the changes of an operation that the server refused.
  fileprivate mutating func revert(_ operation: OutboxOperation) throws {
    let record = operation.record
    switch operation.kind {
    case .create: if contains(record) { stageDeletion(of: record) }
    case .delete: stageRestoration(of: record)
    case .update:
      let events = Document.CommitEvents(of: operation.id.dot.replica, operation.dots)
      try undo(operation.changes, of: events, in: record)
    }
  }
}
