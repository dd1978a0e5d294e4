import CRDTKit

extension OutboxMachine {
  /// Takes in what is left of an operation now that the server's record was taken in.
  ///
  /// An operation that has conflicts again and again waits longer each time.
  ///
  /// - Parameters:
  ///   - id: The operation of the ``OutboxAction/rebase(_:_:)``; any other is ignored.
  ///   - operation: The operation with the changes that are still wanted, and based on
  ///     the server's version; `nil` if none is.
  ///   - lost: The operation with the changes that lost; `nil` if none did. Where neither is
  ///     left, the server has it all.
  ///   - now: Milliseconds since 1970.
  ///   - random: Where chance comes from.
  /// - Returns: What is to be kept in the commit that took in the server's record.
  /// - Complexity: Expected O(log n).
  public mutating func rebased(
    _ id: OperationID, to operation: OutboxOperation?, losing lost: OutboxOperation? = nil,
    at now: UInt64, using random: inout some RandomNumberGenerator
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[id.record], lanes[slot].phase == .rebasing,
      var head = lanes[slot].head, head.operation.id == id
    else { return effects }
    if let lost { take(lost, from: slot, effects: &effects) }
    guard let operation else {
      if let dropped = finishHead(of: slot, at: now) {
        effects.forget(dropped)
        if lost == nil { effects.actions.append(.accepted(dropped.operation, serverVersion: nil)) }
      }
      freeLane(slot, of: id.record)
      return effects
    }
    precondition(operation.id == id, "'\(id)' was rebased to another operation")
    head.operation = operation
    head.operation.state = .pending
    lanes[slot].replaceHead(with: head)
    effects.keep(head)
    if lanes[slot].setbacks == 0 {
      lanes[slot].setbacks = 1
      makeReady(slot)
    } else {
      setBack(slot, at: now, using: &random)
    }
    return effects
  }

  /// Notes that changes of an operation are never done.
  mutating func take(
    _ lost: OutboxOperation, from slot: Int, effects: inout OutboxEffects
  ) {
    effects.actions.append(.superseded(lost))
    forget(lost.changes, from: slot, effects: &effects)
  }

  /// Lets what comes after changes that are gone begin with what was before them: it would be
  /// taken back to that.
  mutating func forget(
    _ gone: [Document.FieldChange], from slot: Int, effects: inout OutboxEffects
  ) {
    let values = gone.filter(\.isAssignment)
    if values.isEmpty { return }
    lanes[slot].changeEach { entry in
      var isChanged = false
      for place in entry.operation.changes.indices {
        let change = entry.operation.changes[place]
        let earlier = values.last { $0.path == change.path && $0.after == change.before }
        guard change.isAssignment, let earlier, earlier != change else { continue }
        entry.operation.changes[place] = change.replacing(before: earlier.before)
        isChanged = true
      }
      if isChanged { effects.keep(entry) }
    }
  }

  /// The operations of a record that wait, in order, where none of them may be at the server
  /// or on its way there; else none.
  ///
  /// - Complexity: O(operations of the record).
  func waiting(of record: Document.RecordID) -> [OutboxOperation] {
    guard let slot = slots[record], !lanes[slot].isEmpty else { return [] }
    switch lanes[slot].phase {
    case .inFlight, .rebasing: return []
    case .idle, .ready, .waiting:
      let pending = lanes[slot].pending
      return pending.contains(where: \.isInDoubt) ? [] : pending.map(\.operation)
    }
  }

  /// Takes in what is left of an operation that waits now that the server's record was taken
  /// in before it was sent; as ``rebased(_:to:losing:at:using:)``.
  ///
  /// - Complexity: O(operations of the record).
  mutating func replaced(
    _ id: OperationID, by operation: OutboxOperation?, losing lost: OutboxOperation?,
    at now: UInt64
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[id.record] else { return effects }
    if let lost { take(lost, from: slot, effects: &effects) }
    guard let operation else {
      let isHead = lanes[slot].head?.operation.id == id
      let dropped = isHead ? finishHead(of: slot, at: now) : lanes[slot].removePending(id)
      guard let dropped else { return effects }
      if !isHead { pendingCount -= 1 }
      effects.forget(dropped)
      if lost == nil { effects.actions.append(.accepted(dropped.operation, serverVersion: nil)) }
      freeLane(slot, of: id.record)
      return effects
    }
    lanes[slot].changePending { entry in
      guard entry.operation.id == id, entry.operation != operation else { return }
      entry.operation = operation
      effects.keep(entry)
    }
    return effects
  }
}
