import CRDTKit

extension OutboxMachine {
  /// Queues a new operation.
  ///
  /// It is merged into the record's last operation if that makes no difference to the
  /// server: the last one was never sent, and both only assign values to fields. Make this
  /// the last call before you write the commit: it can't be undone.
  ///
  /// - Returns: The values to store in the commit that made the operation.
  /// - Throws: ``OutboxRefusal`` if it must not be queued; nothing has changed then.
  /// - Complexity: Expected O(log n), and O(size of the changes).
  package mutating func enqueue(
    _ operation: Outbox.Operation
  ) throws(OutboxRefusal) -> OutboxEffects {
    precondition(operation.state == .pending, "a dead letter can't be queued: retry it")
    try check(operation)
    var effects = OutboxEffects()
    let slot = slotForLane(of: operation.record)
    if let entry = coalesce(operation, in: slot) {
      effects.keep(entry)
      effects.actions.append(.coalesced(operation.id, into: entry.operation.id))
      return effects
    }
    let entry = Lane.Entry(operation: operation, sequence: nextSequence, mayBeKnown: false)
    nextSequence += 1
    lanes[slot].append(entry)
    if lanes[slot].phase == .idle { makeReady(slot) }
    effects.keep(entry)
    notePending(&effects)
    return effects
  }

  /// Adds the changes of a commit that deleted its record again to the record's pending
  /// deletion.
  ///
  /// They are not sent with it, and matter only if the deletion loses.
  ///
  /// - Returns: The deletion and the values to store; `nil` if there is no deletion.
  /// - Complexity: Expected O(size of the changes).
  mutating func joinDeletion(
    _ operation: Outbox.Operation
  ) -> (Outbox.OperationID, OutboxEffects)? {
    guard let slot = slots[operation.record], var last = lanes[slot].last,
      last.operation.kind == .delete, last.operation.id.dot.replica == operation.id.dot.replica,
      last.operation.dots.upperBound < operation.dots.lowerBound
    else { return nil }
    last.operation.changes.join(operation.changes)
    last.operation.dots = last.operation.dots.lowerBound...operation.dots.upperBound
    lanes[slot].replaceLast(with: last)
    var effects = OutboxEffects()
    effects.keep(last)
    effects.actions.append(.coalesced(operation.id, into: last.operation.id))
    return (last.operation.id, effects)
  }

  /// Throws if an operation can't be queued.
  ///
  /// - Complexity: Expected O(1).
  /// - Throws: ``OutboxRefusal``, which gives the reason.
  package func check(_ operation: Outbox.Operation) throws(OutboxRefusal) {
    guard let slot = slots[operation.record] else { return }
    if lanes[slot].last?.operation.id == operation.id || lanes[slot].dead[operation.id] != nil {
      throw .alreadyQueued(operation.id)
    }
  }

  private mutating func coalesce(_ operation: Outbox.Operation, in slot: Int) -> Lane.Entry? {
    guard var last = lanes[slot].last, !last.mayBeKnown,
      let joined = last.operation.coalesced(with: operation)
    else { return nil }
    last.operation = joined
    lanes[slot].replaceLast(with: last)
    return last
  }

  /// Counts an operation that was added to the pending ones.
  mutating func notePending(_ effects: inout OutboxEffects) {
    pendingCount += 1
    if pendingCount == settings.backlogWarning {
      effects.actions.append(.backlog(count: pendingCount))
    }
  }
}

extension Outbox.Operation {
  /// The operation merged with a later one of the same record; `nil` if merging would
  /// change the effect.
  ///
  /// Only assignments are merged; the last one counts. Those of different fields are merged
  /// only within a second, and have the time of the first. Increments, and insertions into sets
  /// and removals from them, are never merged: two equal increments are two.
  ///
  /// - Complexity: O(product of the numbers of changes); at most some thousands.
  func coalesced(with later: Outbox.Operation) -> Outbox.Operation? {
    guard kind != .delete, later.kind == .update, failure == nil, attempts == 0,
      id.dot.replica == later.id.dot.replica, dots.upperBound < later.dots.lowerBound,
      changes.count * later.changes.count <= 4_096,
      later.changes.allSatisfy(\.isAssignment)
    else { return nil }
    let isReplaced = changes.allSatisfy { old in later.changes.contains { $0.path == old.path } }
    // A server may decide by the time, so fields that were written at other times stay apart.
    guard isReplaced || isMadeJustBefore(later) else { return nil }
    var joined = self
    if isReplaced { joined.createdMilliseconds = later.createdMilliseconds }
    for change in later.changes {
      var isNew = true
      for place in joined.changes.indices where joined.changes[place].overlaps(change) {
        let old = joined.changes[place]
        guard old.isAssignment, old.path.names.count == change.path.names.count else { return nil }
        joined.changes[place] = change.replacing(before: old.before)
        isNew = false
      }
      if isNew { joined.changes.append(change) }
    }
    joined.dots = dots.lowerBound...later.dots.upperBound
    return joined
  }

  /// Whether less than a second lies between two operations.
  private func isMadeJustBefore(_ later: Outbox.Operation) -> Bool {
    let (first, last) = (createdMilliseconds, later.createdMilliseconds)
    return max(first, last) - min(first, last) < 1_000
  }
}

extension OutboxMachine {
  /// Records that events of operations were replaced by equivalent ones, which the server
  /// has not received either.
  ///
  /// - Returns: The values to store.
  /// - Complexity: Expected O(moves · operations of their records).
  mutating func restamped(_ moves: [Document.Restamping.Move]) -> OutboxEffects {
    var effects = OutboxEffects()
    var changed: [UInt64: Lane.Entry] = [:]
    for move in moves {
      guard let slot = slots[move.record] else { continue }
      lanes[slot].changeEach { entry in
        let operation = entry.operation
        guard operation.covers(move.old), move.new.replica == move.old.replica else { return }
        let dots = operation.dots
        entry.operation.dots = dots.lowerBound...max(dots.upperBound, move.new.counter)
        changed[entry.sequence] = entry
      }
    }
    for sequence in changed.keys.sorted() {
      if let entry = changed[sequence] { effects.keep(entry) }
    }
    return effects
  }
}
