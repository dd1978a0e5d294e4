import CRDTKit

extension OutboxMachine {
  /// Processes the server's answers to a batch.
  ///
  /// Operations without an answer are in doubt, and are sent again. The call ignores
  /// answers for operations outside the batch, second answers for an operation, and answers
  /// to a batch that was abandoned: those operations were sent again, or have been
  /// answered.
  ///
  /// - Complexity: O(k log n) for k answers.
  package mutating func received(
    _ answers: [Outbox.Answer], for batch: UInt64, at now: UInt64,
    using random: inout some RandomNumberGenerator
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let sent = batches.removeValue(forKey: batch) else { return effects }
    noteLink()
    if let failed = lastFailure, sent.contains(failed.slot) { lastFailure = nil }
    if answers.contains(where: \.isOfWork) { countLastFailure(at: now, effects: &effects) }
    for answer in answers {
      guard let slot = slots[answer.id.record], lanes[slot].phase == .inFlight(batch: batch),
        lanes[slot].head?.operation.id == answer.id
      else { continue }
      take(answer.outcome, of: slot, at: now, using: &random, effects: &effects)
      freeLane(slot, of: answer.id.record)
    }
    for slot in sent where lanes[slot].phase == .inFlight(batch: batch) {
      setBack(slot, at: now, using: &random)
    }
    return effects
  }

  private mutating func take(
    _ outcome: Outbox.Outcome, of slot: Int, at now: UInt64,
    using random: inout some RandomNumberGenerator, effects: inout OutboxEffects
  ) {
    lanes[slot].isSuspect = false
    // A postponed operation may still be applied if the network delivers a request twice.
    if outcome.isFinal { lanes[slot].changeHead { $0.isInDoubt = false } }
    switch outcome {
    case .accepted(let version): accept(slot, version, at: now, effects: &effects)
    case .rejected(let message, let issues):
      let failure = Outbox.Failure(.rejected, message: message, issues: issues)
      kill(slot, failure, at: now, effects: &effects)
    case .retry(let hint, let message):
      retryLater(slot, hint, message, at: now, using: &random, effects: &effects)
    case .conflict(let server):
      guard let head = lanes[slot].head else { return }
      guard server.record == head.operation.record else {
        let message = "the server gave \(server.record) where this was in conflict"
        return retryLater(slot, nil, message, at: now, using: &random, effects: &effects)
      }
      lanes[slot].phase = .rebasing
      effects.actions.append(.rebase(head.operation, server))
    }
  }

  private mutating func accept(
    _ slot: Int, _ version: String?, at now: UInt64, effects: inout OutboxEffects
  ) {
    guard let done = finishHead(of: slot, at: now) else { return }
    effects.forget(done)
    note(done, acceptedIn: slot, as: version, effects: &effects)
    lanes[slot].extendChain(with: done, to: version)
    followChain(in: slot, effects: &effects)
  }

  /// Records that the server has an operation, which replaces parts of earlier dead letters.
  private mutating func note(
    _ done: Lane.Entry, acceptedIn slot: Int, as version: String?, effects: inout OutboxEffects
  ) {
    effects.actions.append(.accepted(done.operation, serverVersion: version))
    supersedeLetters(in: slot, by: done, effects: &effects)
  }

  /// Bases the next operation of a lane on the version that the previous ones made.
  ///
  /// If someone else wrote in between, the server detects it and answers with its record.
  private mutating func followChain(in slot: Int, effects: inout OutboxEffects) {
    if lanes[slot].followChain(), let next = lanes[slot].head { effects.keep(next) }
  }

  /// Makes the first operation of a lane a dead letter.
  mutating func kill(
    _ slot: Int, _ failure: Outbox.Failure, at now: UInt64, effects: inout OutboxEffects
  ) {
    guard var entry = finishHead(of: slot, at: now) else { return }
    entry.operation.state = .dead(failure)
    entry.operation.nextAttemptMilliseconds = 0
    bury(entry, in: slot)
    effects.keep(entry)
    effects.actions.append(.deadLettered(entry.operation))
    followChain(in: slot, effects: &effects)
  }

  /// Schedules a retry of a lane's first operation, unless it has no attempts left.
  mutating func retryLater(
    _ slot: Int, _ hint: Duration?, _ message: String, at now: UInt64,
    using random: inout some RandomNumberGenerator, effects: inout OutboxEffects
  ) {
    guard var head = lanes[slot].head else { return }
    head.operation.attempts += 1
    lanes[slot].replaceHead(with: head)
    guard head.operation.attempts <= settings.maximumRetries else {
      let failure = Outbox.Failure(.attemptsExhausted, message: message)
      return kill(slot, failure, at: now, effects: &effects)
    }
    let delay = settings.delay(after: head.operation.attempts, hint: hint, using: &random)
    head.operation.nextAttemptMilliseconds = now.saturatingSum(delay)
    lanes[slot].replaceHead(with: head)
    lanes[slot].setbacks = 0
    wait(slot, until: head.operation.nextAttemptMilliseconds)
    effects.keep(head)
  }

  /// Records that the server answered.
  private mutating func noteLink() {
    linkFailures = 0
    linkWaitMilliseconds = 0
    batchLimit = min(batchLimit * 2, settings.batchSize)
  }
}

extension Outbox.Outcome {
  /// Whether the outcome is final: the server did not postpone the operation.
  fileprivate var isFinal: Bool {
    if case .retry = self { false } else { true }
  }
}

extension Outbox.Answer {
  /// Whether the answer shows that the server works.
  fileprivate var isOfWork: Bool { outcome.isFinal }
}

extension OutboxMachine {
  /// Continues an operation with its remaining changes, after the server's record was
  /// applied.
  ///
  /// An operation with repeated conflicts waits longer each time.
  ///
  /// - Parameters:
  ///   - id: The operation of the ``OutboxAction/rebase(_:_:)``; any other is ignored.
  ///   - operation: The operation with the changes that are still wanted, based on the
  ///     server's version; `nil` if there are none.
  ///   - lost: The operation with the changes that lost; `nil` if none did. If both are
  ///     `nil`, the server has all changes.
  ///   - now: Milliseconds since 1970.
  ///   - random: The random number generator.
  /// - Returns: The values to store in the commit that applied the server's record.
  /// - Complexity: Expected O(log n).
  package mutating func rebased(
    _ id: Outbox.OperationID, to operation: Outbox.Operation?, losing lost: Outbox.Operation? = nil,
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
        if lost == nil { note(dropped, acceptedIn: slot, as: nil, effects: &effects) }
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

  /// Records that changes of an operation will not be applied.
  mutating func take(
    _ lost: Outbox.Operation, from slot: Int, effects: inout OutboxEffects
  ) {
    effects.actions.append(.superseded(lost))
    forget(lost.changes, from: slot, effects: &effects)
  }

  /// Gives later changes the previous values of the dropped ones, so that reverting them
  /// restores those.
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

  /// The pending operations of a record, in order; none if any of them was or may have been
  /// sent.
  ///
  /// - Complexity: O(operations of the record).
  func waiting(of record: Document.RecordID) -> [Outbox.Operation] {
    guard let slot = slots[record], !lanes[slot].isEmpty else { return [] }
    switch lanes[slot].phase {
    case .inFlight, .rebasing: return []
    case .idle, .ready, .waiting:
      let pending = lanes[slot].pending
      return pending.contains(where: \.isInDoubt) ? [] : pending.map(\.operation)
    }
  }

  /// Continues a pending operation with its remaining changes, after the server's record
  /// was applied before it was sent.
  ///
  /// Works like ``rebased(_:to:losing:at:using:)``.
  ///
  /// - Complexity: O(operations of the record).
  mutating func replaced(
    _ id: Outbox.OperationID, by operation: Outbox.Operation?, losing lost: Outbox.Operation?,
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
      if lost == nil { note(dropped, acceptedIn: slot, as: nil, effects: &effects) }
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
