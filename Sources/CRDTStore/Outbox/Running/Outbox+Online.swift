import CRDTKit

extension Outbox {
  /// Makes changes that must not wait: the server applies them first, then they are
  /// committed here.
  ///
  ///     try await outbox.performOnline { try $0.create(payment) }
  ///
  /// Nothing is queued. If the answer is lost, nothing has changed here; you receive the
  /// server's changes with the next pull. To try again, name the attempt with a key that
  /// you store. The same key and the same records give the operations the same identifiers,
  /// so a server that has applied them repeats its answer.
  ///
  ///     let payment = Payment(id: order.paymentID, cents: 250)
  ///     try await outbox.performOnline(idempotencyKey: order.paymentID) { try $0.create(payment) }
  ///
  /// If the server requires new credentials, ``Outbox/Options/credentials`` is asked for one,
  /// once. Each call may take up to ``Outbox/Options/callLimit``.
  ///
  /// - Parameters:
  ///   - key: A key that is unique for this attempt among all attempts at the server, such
  ///     as a UUID; `nil` if you will not try again. The server receives it as
  ///     ``Outbox/Envelope/idempotencyKey``.
  ///   - body: Makes the changes.
  /// - Returns: The receipt of the commit.
  /// - Throws: The body's error; ``RemoteError`` if the request failed;
  ///   ``Outbox/Failure`` if the server rejected it; ``StoreError``.
  @discardableResult
  public func performOnline(
    idempotencyKey key: String? = nil, _ body: @Sendable (inout Store.Transaction) throws -> Void
  ) async throws -> Store.Receipt {
    let core = core
    let planned: (plan: StoreCore.Plan, operations: [Outbox.Operation], commit: UInt64?)
    do { planned = try core.planOnline(key, body) } catch {
      try await core.untilReadIsDurable()
      throw error
    }
    let (plan, operations, commit) = planned
    defer { core.endOnline(operations) }
    // A request must not depend on changes that a crash could revert.
    if let commit { try await core.untilDurable(commit) }
    var done: [(operation: Outbox.Operation, version: String?)] = []
    if !operations.isEmpty {
      let answers = try await pushOnline(
        operations.map { operation in
          var envelope = operation.envelope
          envelope.idempotencyKey = key
          return envelope
        })
      for operation in operations {
        guard let answer = answers.first(where: { $0.id == operation.id }) else {
          throw RemoteError(.unknown, "the server did not answer about \(operation.record)")
        }
        done.append((operation, try answer.outcome.acceptedVersion()))
      }
    }
    return try await core.answer(.full) { try core.commitOnline(plan, done) }
  }

  private func pushOnline(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    var renewal = CredentialRenewal()
    while true {
      let result = await limited { [transport] () throws(RemoteError) in
        try await transport.push(operations)
      }
      if case .failure(let error) = result,
        await renewal.renews(after: error, for: self, until: nil)
      {
        continue
      }
      return try result.get()
    }
  }
}

extension Outbox.Failure: Error {}

extension Dot {
  /// The part of an identifier that stands for the app's key: 111 bits of a SHA-256 digest,
  /// which makes collisions infeasible.
  fileprivate init(ofKey key: String) {
    let digest = Array(key.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
    self.init(ReplicaID(digest.first), digest.second >> 17 | 1 << 47)
  }
}

extension Outbox.Outcome {
  /// The record's version at the server, if it gives any.
  fileprivate func acceptedVersion() throws -> String? {
    switch self {
    case .accepted(let version): return version
    case .rejected(let message, let issues):
      throw Outbox.Failure(.rejected, message: message, issues: issues)
    case .conflict:
      throw Outbox.Failure(.rejected, message: "the record has changed at the server")
    case .retry(let hint, let message):
      throw RemoteError(.serverRejected, message, retryAfter: hint)
    }
  }
}

extension StoreCore {
  /// The plan of a transaction, its operations for the server, and the commit that must be
  /// durable first.
  fileprivate func planOnline(
    _ key: String?, _ body: (inout Store.Transaction) throws -> Void
  ) throws -> (plan: Plan, operations: [Outbox.Operation], commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let plan = try plan(isOnline: true, body)
    // The events don't exist yet. A random number in their place makes the identifier
    // unique.
    let counter = UInt64.random(in: 1 << 47..<1 << 48)
    let keyed = key.map { Dot(ofKey: $0) }
    let operations = operations(
      of: plan.staged, counter...counter, isDone: false,
      replacing: replacedRecords(by: plan.staged)
    ).told.map { operation in
      let id = keyed.map { Outbox.OperationID(dot: $0, record: operation.record) } ?? operation.id
      return Outbox.Operation(
        id: id, dots: operation.dots, kind: operation.kind,
        createdMilliseconds: operation.createdMilliseconds,
        changes: operation.kind == .delete ? [] : operation.changes,
        baseVersion: operation.baseVersion)
    }
    for operation in operations { changedOnline[operation.record, default: 0] += 1 }
    return (plan, operations, commit: commitRead(.full))
  }

  /// Allows the server's changes of the records to be applied again.
  fileprivate func endOnline(_ operations: [Outbox.Operation]) {
    monitor.withLock {
      for operation in operations {
        let left = changedOnline[operation.record, default: 0] - 1
        changedOnline[operation.record] = left > 0 ? left : nil
      }
    }
  }

  /// Whether an online change of a record is in progress.
  func isChangedOnline(_ record: Document.RecordID) -> Bool {
    changedOnline[record] != nil
  }

  fileprivate func commitOnline(
    _ plan: Plan, _ done: [(operation: Outbox.Operation, version: String?)]
  ) throws -> (Store.Receipt, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let versions = done.flatMap { note($0.operation, $0.version) }
    return try commit(plan, .full, isQueued: false, keeping: versions)
  }
}
