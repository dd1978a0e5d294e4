import CRDTKit

extension Outbox {
  /// Makes changes that must not wait: the server is asked first, and they are made here
  /// when it has done them.
  ///
  ///     try await outbox.performOnline { try $0.create(payment) }
  ///
  /// Nothing is queued. Where the answer is lost, nothing has changed here, and what the
  /// server did comes when its changes are fetched; ask it before trying again, or be
  /// sure that it takes the same record only once.
  ///
  /// - Returns: What the commit was.
  /// - Throws: What the body throws; ``RemoteError`` where the server could not be asked;
  ///   ``OperationFailure`` where it refused; ``StoreError``.
  @discardableResult
  public func performOnline(
    _ body: @Sendable (inout Transaction) throws -> Void
  ) async throws -> Receipt {
    let core = core
    let planned: (plan: StoreCore.Plan, operations: [OutboxOperation], commit: UInt64?)
    do { planned = try core.planOnline(body) } catch {
      try await core.untilReadIsDurable()
      throw error
    }
    let (plan, operations, commit) = planned
    defer { core.endOnline(operations) }
    // A server must not be asked because of what a crash could take back.
    if let commit { try await core.untilDurable(commit) }
    var done: [(operation: OutboxOperation, version: String?)] = []
    if !operations.isEmpty {
      let answers = try await transport.push(operations.map(\.envelope))
      for operation in operations {
        guard let answer = answers.first(where: { $0.id == operation.id }) else {
          throw RemoteError(.unknown, "the server did not answer about \(operation.record)")
        }
        done.append((operation, try answer.outcome.acceptedVersion()))
      }
    }
    return try await core.answer(.full) { try core.commitOnline(plan, done) }
  }
}

extension OperationFailure: Error {}

extension OperationOutcome {
  /// The version that the record has at the server now, if it gives any.
  fileprivate func acceptedVersion() throws -> String? {
    switch self {
    case .accepted(let version): return version
    case .rejected(let message, let issues):
      throw OperationFailure(.rejected, message: message, issues: issues)
    case .conflict:
      throw OperationFailure(.rejected, message: "the record has changed at the server")
    case .retry(let hint, let message):
      throw RemoteError(.serverRejected, message, retryAfter: hint)
    }
  }
}

extension StoreCore {
  /// What a transaction wants, what a server is asked for it, and the commit that must
  /// be durable before.
  fileprivate func planOnline(
    _ body: (inout Transaction) throws -> Void
  ) throws -> (plan: Plan, operations: [OutboxOperation], commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let plan = try plan(isOnline: true, body)
    // The events are not made yet; a random number in the place of theirs keeps the
    // identifier from being used twice.
    let counter = UInt64.random(in: 1 << 47..<1 << 48)
    let operations = operations(
      of: plan.staged, counter...counter, isDone: false,
      replacing: replacedRecords(by: plan.staged)
    ).told.map { operation in
      var operation = operation
      if operation.kind == .delete { operation.changes = [] }
      return operation
    }
    for operation in operations { changedOnline[operation.record, default: 0] += 1 }
    return (plan, operations, commit: commitRead(.full))
  }

  /// Lets what the server says of the records be taken in again.
  fileprivate func endOnline(_ operations: [OutboxOperation]) {
    monitor.withLock {
      for operation in operations {
        let left = changedOnline[operation.record, default: 0] - 1
        changedOnline[operation.record] = left > 0 ? left : nil
      }
    }
  }

  /// Whether a server is changing a record at once.
  func isChangedOnline(_ record: Document.RecordID) -> Bool {
    changedOnline[record] != nil
  }

  fileprivate func commitOnline(
    _ plan: Plan, _ done: [(operation: OutboxOperation, version: String?)]
  ) throws -> (Receipt, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let versions = done.flatMap { note($0.operation, $0.version) }
    return try commit(plan, .full, isQueued: false, keeping: versions)
  }
}
