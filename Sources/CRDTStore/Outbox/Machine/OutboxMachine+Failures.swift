import CRDTKit

extension OutboxMachine {
  /// Processes the failure of a batch that could not be sent, or was not answered.
  ///
  /// Ignores a batch that was abandoned or answered before.
  ///
  /// - Complexity: O(k log n) for a batch of k.
  package mutating func failed(
    _ batch: UInt64, with error: RemoteError, at now: UInt64,
    using random: inout some RandomNumberGenerator
  ) -> OutboxEffects {
    var effects = OutboxEffects()
    guard let sent = batches.removeValue(forKey: batch) else { return effects }
    if error.isOfNothingDone {
      for slot in sent { lanes[slot].changeHead { $0.isInDoubt = $0.wasInDoubt } }
    }
    if error.isOfServer { lastFailure = nil }
    switch error.kind {
    case .networkUnavailable:
      for slot in sent { makeReady(slot) }
      noteLinkFailure(error, at: now, using: &random)
    case .cancelled:
      for slot in sent { makeReady(slot) }
    case .unauthorized:
      for slot in sent { makeReady(slot) }
      if !needsCredentials { effects.actions.append(.credentialsNeeded) }
      needsCredentials = true
    case .timeout, .unknown, .serverFailed, .serverRejected, .corruptLocalState:
      if sent.count == 1 {
        failAlone(sent[0], error, at: now, using: &random, effects: &effects)
      } else {
        for slot in sent { makeReady(slot) }
        batchLimit = max(1, sent.count / 2)
      }
      noteLinkFailure(error, isHalved: sent.count > 1, at: now, using: &random)
    }
    return effects
  }

  /// Whether a record has an operation in doubt, which the server may have applied.
  ///
  /// The server's record may or may not include that operation.
  ///
  /// - Complexity: O(operations of the record).
  func isInDoubt(_ record: Document.RecordID) -> Bool { !inDoubt(of: record).isEmpty }

  /// The operations of a record that are in doubt, dead letters included.
  ///
  /// - Complexity: O(operations of the record).
  func inDoubt(of record: Document.RecordID) -> [Outbox.Operation] {
    guard let slot = slots[record] else { return [] }
    let pending = lanes[slot].pending.lazy.filter(\.isInDoubt).map(\.operation)
    return pending + lanes[slot].dead.values.lazy.map(\.operation).filter(\.mayBeDone)
  }

  /// Whether a creation of the record is pending.
  ///
  /// - Complexity: O(operations of the record).
  func isMakingAnew(_ record: Document.RecordID) -> Bool {
    guard let slot = slots[record] else { return false }
    return lanes[slot].pending.contains { $0.operation.kind == .create }
  }

  /// Processes the failure of a batch of one operation.
  ///
  /// That operation is the cause, or every batch would fail.
  private mutating func failAlone(
    _ slot: Int, _ error: RemoteError, at now: UInt64,
    using random: inout some RandomNumberGenerator, effects: inout OutboxEffects
  ) {
    guard let record = lanes[slot].head?.operation.record else { return }
    lanes[slot].isSuspect = true
    switch error.kind {
    case .serverRejected:
      retryLater(
        slot, error.retryAfter, error.description, at: now, using: &random, effects: &effects)
    case .corruptLocalState:
      let failure = Outbox.Failure(.corruptLocalState, message: error.description)
      kill(slot, failure, at: now, effects: &effects)
    case .serverFailed, .unknown:
      failWithServer(slot, error.description, at: now, using: &random, effects: &effects)
    case .timeout, .networkUnavailable, .unauthorized, .cancelled:
      setBack(slot, at: now, using: &random)
    }
    freeLane(slot, of: record)
  }

  /// Processes a server failure for an operation that was sent alone.
  ///
  /// The start of the uncounted failures is stored with the operation, so that a restart
  /// does not reset it.
  private mutating func failWithServer(
    _ slot: Int, _ message: String, at now: UInt64,
    using random: inout some RandomNumberGenerator, effects: inout OutboxEffects
  ) {
    guard var head = lanes[slot].head else { return }
    setBack(slot, at: now, using: &random)
    let since = head.operation.nextAttemptMilliseconds
    let isNew = since == 0 || since > now
    if (isNew ? 0 : now - since) >= settings.minimumOutage.clampedMilliseconds {
      return countFailure(slot, message, at: now, effects: &effects)
    }
    lastFailure = LaneFailure(slot: slot, sequence: head.sequence, message: message)
    guard isNew else { return }
    head.operation.nextAttemptMilliseconds = now
    lanes[slot].replaceHead(with: head)
    effects.keep(head)
  }

  /// Counts the previous failure, because the server works now.
  mutating func countLastFailure(at now: UInt64, effects: inout OutboxEffects) {
    guard let failed = lastFailure else { return }
    lastFailure = nil
    guard lanes[failed.slot].head?.sequence == failed.sequence else { return }
    switch lanes[failed.slot].phase {
    case .waiting, .ready: countFailure(failed.slot, failed.message, at: now, effects: &effects)
    case .idle, .inFlight, .rebasing: break
    }
  }

  private mutating func countFailure(
    _ slot: Int, _ message: String, at now: UInt64, effects: inout OutboxEffects
  ) {
    guard var head = lanes[slot].head else { return }
    head.operation.attempts += 1
    head.operation.nextAttemptMilliseconds = now
    lanes[slot].replaceHead(with: head)
    guard head.operation.attempts <= settings.maximumRetries else {
      let failure = Outbox.Failure(.serverFailed, message: message)
      return kill(slot, failure, at: now, effects: &effects)
    }
    effects.keep(head)
  }

  /// Stops sending for a while.
  ///
  /// Corrupt local state has nothing to do with the connection, and a batch that is being
  /// halved needs no growing delays.
  private mutating func noteLinkFailure(
    _ error: RemoteError, isHalved: Bool = false, at now: UInt64,
    using random: inout some RandomNumberGenerator
  ) {
    guard error.kind != .corruptLocalState else { return }
    let isAnswered = isHalved && error.kind == .serverRejected
    linkFailures = isAnswered ? max(linkFailures, 1) : min(linkFailures + 1, 64)
    let delay = settings.delay(after: linkFailures, hint: error.retryAfter, using: &random)
    linkWaitMilliseconds = now.saturatingSum(delay)
  }

  /// Sends operations again at once, because the server can be reached.
  ///
  /// Operations that the server postponed still wait.
  package mutating func networkRestored() {
    linkFailures = 0
    linkWaitMilliseconds = 0
  }

  /// Sends operations again, because there are new credentials.
  package mutating func credentialsRenewed() {
    needsCredentials = false
  }
}

extension RemoteError {
  /// Whether the error says that nothing was applied, nor will be.
  ///
  /// A refused request may still be applied if the network delivers it twice.
  fileprivate var isOfNothingDone: Bool {
    switch kind {
    case .networkUnavailable, .unauthorized, .corruptLocalState: true
    case .timeout, .unknown, .serverFailed, .serverRejected, .cancelled: false
    }
  }

  /// Whether the error is about the server or the connection.
  fileprivate var isOfServer: Bool {
    switch kind {
    case .networkUnavailable, .unauthorized, .timeout, .unknown, .serverFailed: true
    case .serverRejected, .corruptLocalState, .cancelled: false
    }
  }
}
