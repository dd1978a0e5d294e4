import CRDTKit

extension OutboxMachine {
  /// Takes in that a batch could not be sent, or was not answered.
  ///
  /// A batch that was given up or answered before is ignored.
  ///
  /// - Complexity: O(k log n) for a batch of k.
  public mutating func failed(
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

  /// Whether the server may have done an operation of a record of which that isn't
  /// known.
  ///
  /// What it says of the record then may be with that, or without.
  ///
  /// - Complexity: O(operations of the record).
  func isInDoubt(_ record: Document.RecordID) -> Bool {
    guard let slot = slots[record] else { return false }
    return lanes[slot].pending.contains(where: \.isInDoubt)
      || lanes[slot].dead.values.contains { $0.operation.mayBeDone }
  }

  /// Whether a record is to be made at the server.
  ///
  /// - Complexity: O(operations of the record).
  func isMakingAnew(_ record: Document.RecordID) -> Bool {
    guard let slot = slots[record] else { return false }
    return lanes[slot].pending.contains { $0.operation.kind == .create }
  }

  /// Takes in that a batch of one operation failed: it must be that operation, or all
  /// that are sent would fail.
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
      let failure = OperationFailure(.corruptLocalState, message: error.description)
      kill(slot, failure, at: now, effects: &effects)
    case .serverFailed, .unknown:
      failWithServer(slot, error.description, at: now, using: &random, effects: &effects)
    case .timeout, .networkUnavailable, .unauthorized, .cancelled:
      setBack(slot, at: now, using: &random)
    }
    freeLane(slot, of: record)
  }

  /// Takes in that the server failed over an operation that it was asked about alone.
  ///
  /// Since when it fails without that counting is kept with the operation, so that a
  /// restart doesn't begin anew.
  private mutating func failWithServer(
    _ slot: Int, _ message: String, at now: UInt64,
    using random: inout some RandomNumberGenerator, effects: inout OutboxEffects
  ) {
    guard var head = lanes[slot].head else { return }
    setBack(slot, at: now, using: &random)
    let since = head.operation.nextAttemptMilliseconds
    let isNew = since == 0 || since > now
    if (isNew ? 0 : now - since) >= settings.outageMilliseconds {
      return countFailure(slot, message, at: now, effects: &effects)
    }
    lastFailure = LaneFailure(slot: slot, sequence: head.sequence, message: message)
    guard isNew else { return }
    head.operation.nextAttemptMilliseconds = now
    lanes[slot].replaceHead(with: head)
    effects.keep(head)
  }

  /// Counts the failure before, since the server does what it is asked now.
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
    guard head.operation.attempts <= settings.retriesMax else {
      let failure = OperationFailure(.serverFailed, message: message)
      return kill(slot, failure, at: now, effects: &effects)
    }
    effects.keep(head)
  }

  /// Lets nothing be sent for a while.
  ///
  /// What is kept here has nothing to do with the way to the server, and a batch that
  /// is to be halved needs no longer waits each time.
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

  /// Lets operations be sent at once: there is a way to the server again.
  ///
  /// Those that the server wants later still wait.
  public mutating func networkRestored() {
    linkFailures = 0
    linkWaitMilliseconds = 0
  }

  /// Lets operations be sent again: there are other credentials.
  public mutating func credentialsRenewed() {
    needsCredentials = false
  }
}

extension RemoteError {
  /// Whether it says that nothing of what was asked was done, nor will be: what a server
  /// refuses may be done where the way brings the request twice.
  fileprivate var isOfNothingDone: Bool {
    switch kind {
    case .networkUnavailable, .unauthorized, .corruptLocalState: true
    case .timeout, .unknown, .serverFailed, .serverRejected, .cancelled: false
    }
  }

  /// Whether it says that the server, or the way to it, isn't well.
  fileprivate var isOfServer: Bool {
    switch kind {
    case .networkUnavailable, .unauthorized, .timeout, .unknown, .serverFailed: true
    case .serverRejected, .corruptLocalState, .cancelled: false
    }
  }
}
