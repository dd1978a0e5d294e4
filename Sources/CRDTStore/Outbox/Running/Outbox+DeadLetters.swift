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
  /// - Throws: ``StoreError``.
  public func retry(_ id: OperationID) async throws(StoreError) {
    try await changing { $0.retry(id) }
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

  private func changing(
    _ body: (inout OutboxMachine) -> OutboxEffects
  ) async throws(StoreError) {
    let commit = try core.monitor.withLock { () throws(StoreError) in
      try core.checkWritable()
      core.keep(body(&core.outbox))
      return core.appended
    }
    try await core.untilDurable(commit)
  }
}

extension StoreCore {
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
    let plan = isReverting ? try plan { try $0.revert(operation) } : Plan()
    // Where they can't be committed, it stays.
    var outbox = outbox
    let kept = outbox.discard(id).effects.localChanges
    // The server never had the changes, so it isn't told that they are gone.
    _ = try commit(plan, .full, isQueued: false, keeping: kept)
    self.outbox = outbox
    if isReverting, queued.count == 1 { try repeatDeletion(of: id.record) }
    return (operation, commit: appended)
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
