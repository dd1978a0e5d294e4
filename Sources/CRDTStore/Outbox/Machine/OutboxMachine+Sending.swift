extension OutboxMachine {
  /// Returns the operations to send now, oldest first; `nil` if there are none, or nothing
  /// may be sent now.
  ///
  /// Other operations of their records wait until these are answered, or the batch has
  /// failed. You can ask for several batches at the same time.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  ///   - countMax: The greatest number of operations, if lower than the current limit.
  /// - Returns: The batch. Report its answers by its number.
  /// - Complexity: O(k log n) for a batch of k.
  package mutating func nextBatch(at now: UInt64, countMax: Int? = nil) -> OutboxBatch? {
    noteTime(now)
    guard !needsCredentials, isDue(linkWaitMilliseconds, at: now) else { return nil }
    wakeLanes(at: now)
    let limit = min(batchLimit, settings.batchSize, countMax ?? .max)
    guard limit > 0 else { return nil }
    let number = nextBatchNumber
    var slots: [Int] = []
    var operations: [Outbox.Operation] = []
    while operations.count < limit, let turn = nextTurn(isFirst: operations.isEmpty) {
      lanes[turn.slot].phase = .inFlight(batch: number)
      lanes[turn.slot].changeHead { head in
        head.mayBeKnown = true
        head.wasInDoubt = head.isInDoubt
        head.isInDoubt = true
        operations.append(head.operation)
      }
      slots.append(turn.slot)
      if lanes[turn.slot].isSuspect { break }
    }
    guard !operations.isEmpty else { return nil }
    nextBatchNumber += 1
    batches[number] = slots
    return OutboxBatch(number: number, operations: operations)
  }

  /// When ``nextBatch(at:countMax:)`` may return a batch; `nil` if only another event can
  /// change that.
  ///
  /// - Parameter now: Milliseconds since 1970.
  /// - Returns: Milliseconds since 1970; `now` means at once.
  /// - Complexity: Amortized O(log n).
  package mutating func wakeMilliseconds(after now: UInt64) -> UInt64? {
    noteTime(now)
    guard !needsCredentials else { return nil }
    wakeLanes(at: now)
    dropVoidTurns()
    let linkTime = isDue(linkWaitMilliseconds, at: now) ? now : linkWaitMilliseconds
    if ready.min != nil || readyAlone.min != nil { return linkTime }
    return waiting.min.map { max($0.rank, linkTime) }
  }

  /// Makes all lanes ready if the clock was set back, because their times are unknown then.
  private mutating func noteTime(_ now: UInt64) {
    if now.saturatingSum(1_000) < latestMilliseconds { retryWaiting() }
    latestMilliseconds = now
  }

  /// Makes the lanes ready whose time has come.
  private mutating func wakeLanes(at now: UInt64) {
    while let turn = waiting.min, isDue(turn.rank, at: now) || !Self.isValid(turn, in: lanes) {
      waiting.removeMin()
      if Self.isValid(turn, in: lanes) { makeReady(turn.slot) }
    }
  }

  /// Removes the turn of the oldest operation.
  ///
  /// Only the first of a batch may be one that must be sent alone.
  ///
  /// Operations that must be sent alone don't follow each other while others wait, because
  /// each may hold up the server.
  private mutating func nextTurn(isFirst: Bool) -> LaneTurn? {
    dropVoidTurns()
    guard isFirst else { return ready.removeMin() }
    guard let alone = readyAlone.min else {
      sentAlone = false
      return ready.removeMin()
    }
    if let usual = ready.min, sentAlone || usual < alone {
      sentAlone = false
      return ready.removeMin()
    }
    sentAlone = true
    return readyAlone.removeMin()
  }

  private mutating func dropVoidTurns() {
    while let turn = ready.min, !isValid(turn, alone: false) { ready.removeMin() }
    while let turn = readyAlone.min, !isValid(turn, alone: true) { readyAlone.removeMin() }
  }

  private func isValid(_ turn: LaneTurn, alone: Bool) -> Bool {
    Self.isValid(turn, in: lanes) && lanes[turn.slot].isSuspect == alone
  }
}
