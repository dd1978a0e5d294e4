extension OutboxMachine {
  /// Takes in what is left of an operation now that the server's record was taken in.
  ///
  /// An operation that has conflicts again and again waits longer each time.
  ///
  /// - Parameters:
  ///   - id: The operation of the ``OutboxAction/rebase(_:_:)``; any other is ignored.
  ///   - operation: The operation with the changes that are still wanted, and based on
  ///     the server's version; `nil` if none is.
  ///   - now: Milliseconds since 1970.
  ///   - random: Where chance comes from.
  /// - Returns: What is to be kept in the commit that took in the server's record.
  /// - Complexity: Expected O(log n).
  public mutating func rebased(
    _ id: OperationID, to operation: OutboxOperation?, at now: UInt64,
    using random: inout some RandomNumberGenerator
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let slot = slots[id.record], lanes[slot].phase == .rebasing,
      var head = lanes[slot].head, head.operation.id == id
    else { return effects }
    guard let operation else {
      if let dropped = finishHead(of: slot, at: now) { effects.forget(dropped) }
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
}
