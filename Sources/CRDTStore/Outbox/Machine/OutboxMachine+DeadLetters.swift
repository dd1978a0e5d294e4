extension OutboxMachine {
  /// Sends an operation again: a dead letter as one that never failed, one that waits
  /// without waiting further.
  ///
  /// A dead letter gets its place in the lane back: before what was made later and
  /// waits still; but not before what the server may have done already, or its record
  /// would be taken for someone else's. What the server has done since, this may undo,
  /// unless the server compares versions: pass the operation with only the changes that
  /// are still wanted.
  ///
  /// - Parameters:
  ///   - id: The operation; one that isn't there, or is on its way, is ignored.
  ///   - revised: The dead letter with other changes.
  /// - Returns: What is to be kept.
  /// - Complexity: O(operations of the record).
  public mutating func retry(
    _ id: OperationID, as revised: OutboxOperation? = nil
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[id.record] else { return effects }
    guard let entry = unearth(id, in: slot) else {
      retryNow(id, in: slot, effects: &effects)
      return effects
    }
    precondition(revised == nil || revised?.id == id, "'\(id)' was revised to another operation")
    var operation = revised ?? entry.operation
    operation.state = .pending
    operation.attempts = 0
    operation.nextAttemptMilliseconds = 0
    var pending = Lane.Entry(operation: operation, sequence: entry.sequence, mayBeKnown: true)
    pending.isInDoubt = entry.operation.mayBeDone
    let isHeadBusy =
      switch lanes[slot].phase {
      case .inFlight, .rebasing: true
      case .idle, .ready, .waiting: lanes[slot].head?.isInDoubt == true
      }
    lanes[slot].insert(pending, after: isHeadBusy ? 1 : 0)
    if lanes[slot].head?.sequence == pending.sequence { startAnew(slot) }
    effects.keep(pending)
    notePending(&effects)
    return effects
  }

  /// Sends all that waits, as far as there is a way to the server, without waiting
  /// further; dead letters stay what they are.
  ///
  /// - Complexity: O(n log n) for the operations that wait.
  public mutating func retryWaiting() {
    networkRestored()
    for slot in lanes.indices {
      if case .waiting = lanes[slot].phase { makeReady(slot) }
    }
  }

  /// Forgets a dead letter, and gives it, so that its changes can be reverted.
  ///
  /// - Parameter id: The operation; one that is no dead letter is ignored.
  /// - Returns: The operation, if there was one, and what is to be kept.
  /// - Complexity: Expected O(1).
  public mutating func discard(
    _ id: OperationID
  ) -> (operation: OutboxOperation?, effects: OutboxEffects) {
    var effects = OutboxEffects()
    guard let slot = slots[id.record], let entry = unearth(id, in: slot) else {
      return (nil, effects)
    }
    freeLane(slot, of: id.record)
    effects.forget(entry)
    return (entry.operation, effects)
  }

  private mutating func unearth(_ id: OperationID, in slot: Int) -> Lane.Entry? {
    guard let entry = lanes[slot].dead.removeValue(forKey: id) else { return nil }
    deadLetterCount -= 1
    if lanes[slot].dead.isEmpty { deadSlots.remove(slot) }
    return entry
  }

  private mutating func retryNow(
    _ id: OperationID, in slot: Int, effects: inout OutboxEffects
  ) {
    guard case .waiting = lanes[slot].phase, var head = lanes[slot].head,
      head.operation.id == id
    else { return }
    if head.operation.nextAttemptMilliseconds > 0 {
      head.operation.nextAttemptMilliseconds = 0
      lanes[slot].replaceHead(with: head)
      effects.keep(head)
    }
    makeReady(slot)
  }

  /// Lets a lane send whose first operation is another now.
  private mutating func startAnew(_ slot: Int) {
    lanes[slot].setbacks = 0
    lanes[slot].isSuspect = false
    makeReady(slot)
  }
}
