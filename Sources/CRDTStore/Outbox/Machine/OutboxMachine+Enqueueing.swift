import CRDTKit

extension OutboxMachine {
  /// Queues an operation that was made just now.
  ///
  /// It is taken into the record's last operation where that is the same to the
  /// server: if that was never sent, and both only give fields their values. Call it
  /// last before the commit is written: there is no way back.
  ///
  /// - Returns: What is to be kept in the commit that made the operation.
  /// - Throws: ``OutboxRefusal`` where it must not be queued; nothing has changed then.
  /// - Complexity: Expected O(log n), and O(size of the changes).
  public mutating func enqueue(
    _ operation: OutboxOperation
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

  /// Takes what a commit did to a record that it deleted again into the deletion that the
  /// record waits for: of use only where that loses, it is not sent with it.
  ///
  /// - Returns: The deletion and what is to be kept; `nil` where there is none.
  /// - Complexity: Expected O(size of the changes).
  mutating func joinDeletion(
    _ operation: OutboxOperation
  ) -> (OperationID, OutboxEffects)? {
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

  /// Says why an operation can't be queued, if it can't.
  ///
  /// - Complexity: Expected O(1).
  /// - Throws: ``OutboxRefusal``.
  public func check(_ operation: OutboxOperation) throws(OutboxRefusal) {
    guard let slot = slots[operation.record] else { return }
    if lanes[slot].last?.operation.id == operation.id || lanes[slot].dead[operation.id] != nil {
      throw .alreadyQueued(operation.id)
    }
  }

  private mutating func coalesce(_ operation: OutboxOperation, in slot: Int) -> Lane.Entry? {
    guard var last = lanes[slot].last, !last.mayBeKnown,
      let joined = last.operation.coalesced(with: operation)
    else { return nil }
    last.operation = joined
    lanes[slot].replaceLast(with: last)
    return last
  }

  /// Counts an operation that was added to those that wait.
  mutating func notePending(_ effects: inout OutboxEffects) {
    pendingCount += 1
    if pendingCount == settings.backlogWarning {
      effects.actions.append(.backlog(count: pendingCount))
    }
  }
}
