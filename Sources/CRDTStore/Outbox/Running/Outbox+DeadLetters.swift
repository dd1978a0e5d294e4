import CRDTKit

extension Outbox {
  /// The dead letters, in the order of their creation.
  ///
  /// Their changes are still in the records: a rejection does not revert them. The list may
  /// be ahead of the disk, like ``pending``.
  ///
  /// - Complexity: O(n log n)
  public var deadLetters: [Outbox.Operation] {
    core.monitor.withLock { core.outbox.deadLetters }
  }

  /// The pending operations, in the order of their creation.
  ///
  /// They include operations of commits that are not durable yet. A crash may lose those.
  ///
  /// - Complexity: O(n log n)
  public var pending: [Outbox.Operation] {
    core.monitor.withLock { core.outbox.pending }
  }

  /// When the next waiting operation is sent again, in milliseconds since 1970; `nil` if
  /// none waits for a time.
  public var nextAttemptMilliseconds: UInt64? {
    let now = now
    return core.monitor.withLock { core.outbox.wakeMilliseconds(after: now) }
  }

  /// Sends a dead letter again, or a waiting operation without further delay, at the next
  /// ``drain(within:)``.
  ///
  /// Of a dead letter, only changes that are still present, and that no later write here or
  /// at the server has replaced, are sent. The others are superseded, and reported as an
  /// event.
  ///
  /// - Throws: ``StoreError``.
  public func retry(_ id: Outbox.OperationID) async throws(StoreError) {
    let commit = try core.monitor.withLock { () throws(StoreError) in
      try core.checkWritable()
      core.retry(id)
      return core.appended
    }
    try await core.untilDurable(commit)
  }

  /// Sends all waiting operations at the next ``drain(within:)``, without further delay.
  public func retryWaiting() {
    core.monitor.withLock { core.outbox.retryWaiting() }
  }

  /// Resumes sending after the credentials were renewed.
  public func credentialsRenewed() {
    refused.withLock { $0 = nil }
    core.monitor.withLock { core.outbox.credentialsRenewed() }
  }

  /// Discards a dead letter.
  ///
  /// - Parameters:
  ///   - id: The identifier of the dead letter's operation.
  ///   - revertingChanges: Whether the changes that the server didn't make are reverted here
  ///     and at peers, unless they were changed again since. If the server has deleted the
  ///     record meanwhile, reverting the last of them deletes it here. Otherwise they stay as
  ///     they are.
  /// - Returns: The operation; `nil` if it is not a dead letter.
  /// - Throws: ``StoreError``; ``RecordError`` if its changes can't be reverted: the dead
  ///   letter stays then.
  @discardableResult
  public func discard(
    _ id: Outbox.OperationID, revertingChanges: Bool
  ) async throws -> Outbox.Operation? {
    try await core.answer(.full) {
      try core.discard(id, isReverting: revertingChanges)
    }
  }
}

extension StoreCore {
  /// Retries the wanted changes of a dead letter, or a waiting operation without further
  /// delay, in memory.
  ///
  /// Requires the monitor's lock and a writable store.
  func retry(_ id: Outbox.OperationID) {
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

  /// Discards a dead letter, and reverts its changes if asked to, in memory.
  fileprivate func discard(
    _ id: Outbox.OperationID, isReverting: Bool
  ) throws -> (Outbox.Operation?, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let queued = outbox.operations(of: id.record)
    guard let operation = queued.first(where: { $0.id == id && $0.failure != nil }) else {
      return (nil, commitRead(.full))
    }
    let undone = reverted(operation)
    let mark = mark(of: undone)
    let plan = isReverting ? try plan { try $0.revert(undone, knowing: mark) } : Plan()
    // If the commit fails, the dead letter stays.
    let before = (outbox, outcomes)
    let effects = outbox.discard(id, isReverted: isReverting).effects
    // The server never had the changes, so it does not receive their reversal.
    var changes = kept(by: effects)
    if isReverting {
      let events = Document.CommitEvents(of: operation.id.dot.replica, operation.dots)
      changes.append(RevertedCommits(of: id.record, in: local).adding(events))
    }
    do { _ = try commit(plan, .full, isQueued: false, keeping: changes) } catch {
      (outbox, outcomes) = before
      throw error
    }
    tell(of: effects)
    if isReverting, queued.count == 1 { try repeatDeletion(of: id.record) }
    return (operation, commit: appended)
  }

  /// An operation to revert.
  ///
  /// Its previous values are the server's latest, if the server has sent any since.
  private func reverted(_ operation: Outbox.Operation) -> Outbox.Operation {
    var operation = operation
    let (record, collection) = (operation.record.record, operation.record.collection)
    operation.changes = operation.changes.map { change in
      guard change.isAssignment else { return change }
      let known = working.document.alternatives(of: change.path, of: record, in: collection)
        .first { $0.replica.principal == options.authority }
      return known.map { change.replacing(before: $0.value) } ?? change
    }
    return operation
  }

  /// The mark of an operation to revert: its previous values stand for those of the earlier
  /// operations that wrote them, and which the server doesn't have either.
  private func mark(of operation: Outbox.Operation) -> Document.CommitMark {
    let earlier = outbox.unheard(of: operation.record).prefix { $0.id != operation.id }
    var mark = Document.CommitMark()
    func note(_ path: FieldPath, _ element: Document.Value? = nil, in writer: Outbox.Operation) {
      let dot = Dot(writer.id.dot.replica, writer.dots.upperBound)
      mark.replaced.append(.init(path, element, .init(dots: [dot], time: 0)))
    }
    for change in operation.changes {
      switch change.change {
      case .assign(_, let before?), .remove(let before?):
        let writer = earlier.last { $0.changes.contains { $0.path == change.path } }
        if let writer, writer.changes.contains(where: { $0.assigns(before, at: change.path) }) {
          note(change.path, in: writer)
        }
      case .take(let elements):
        for element in elements {
          let writer = earlier.last { $0.changes.contains { $0.inserts(element, at: change.path) } }
          if let writer { note(change.path, element, in: writer) }
        }
      case .assign, .remove, .insert, .increment: break
      }
    }
    return mark
  }

  /// Deletes a record that the server has deleted, if only the reverted changes kept it
  /// here.
  ///
  /// It is written into the same frame as the previous commit, because the monitor's lock
  /// is held.
  private func repeatDeletion(of record: Document.RecordID) throws {
    guard serverVersions[record]?.isDeleted == true else { return }
    let (own, authority) = (identity.replica, options.authority)
    let isSeen: (Dot) -> Bool = { $0.replica == own || $0.replica.principal == authority }
    _ = try editLocked(.relaxed, as: authority.delegate(for: own)) { editor in
      editor.seeing(isSeen) { $0.delete(record.record, in: record.collection) }
    }
  }
}

extension Store.Transaction {
  /// Reverts the changes of an operation that the server rejected.
  fileprivate mutating func revert(
    _ operation: Outbox.Operation, knowing mark: Document.CommitMark
  ) throws {
    let record = operation.record
    switch operation.kind {
    case .create:
      guard contains(record) else { return }
      let events = Document.CommitEvents(of: operation.id.dot.replica, operation.dots)
      guard stagedDocument(for: record).isOwn(record, of: events, knowing: .init()) else {
        return leave(record, .changedSince)
      }
      stageDeletion(of: record)
    case .delete: stageRestoration(of: record)
    case .update:
      let events = Document.CommitEvents(of: operation.id.dot.replica, operation.dots)
      try undo(operation.changes, of: events, knowing: mark, in: record)
    }
  }
}

extension Document.FieldChange {
  fileprivate func assigns(_ value: Document.Value, at path: FieldPath) -> Bool {
    if case .assign(value, before: _) = change { self.path == path } else { false }
  }

  fileprivate func inserts(_ element: Document.Value, at path: FieldPath) -> Bool {
    if case .insert(let elements) = change {
      self.path == path && elements.contains(element)
    } else {
      false
    }
  }
}
