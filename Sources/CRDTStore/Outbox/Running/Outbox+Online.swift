import CRDTKit

extension Outbox {
  /// Makes changes that must not wait: the server applies them first, then they are
  /// committed here.
  ///
  ///     try await outbox.performOnline { try $0.create(payment) }
  ///
  /// Nothing is queued. If the answer is lost, nothing has changed here; you receive the
  /// server's changes with the next pull. To try again, name the attempt with a key that
  /// you store. The store keeps what it sends under that key until it has the answer. A later
  /// call with the key sends the same again, without calling the body, so a server that has
  /// applied it repeats its answer. What the server did then comes with the next pull, which
  /// the call makes.
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
  /// - Returns: The receipt of the commit; without changes if an earlier attempt was repeated.
  /// - Throws: The body's error; ``RemoteError`` if the request failed;
  ///   ``Outbox/Failure`` if the server rejected it; ``StoreError``.
  @discardableResult
  public func performOnline(
    idempotencyKey key: String? = nil, _ body: @Sendable (inout Store.Transaction) throws -> Void
  ) async throws -> Store.Receipt {
    let core = core
    let planned: StoreCore.OnlinePlan
    do { planned = try core.planOnline(key, body) } catch {
      try await core.untilReadIsDurable()
      throw error
    }
    do {
      defer { core.endOnline(planned.operations) }
      // A request must not depend on changes that a crash could revert.
      if let commit = planned.commit { try await core.untilDurable(commit) }
      let done = try await push(planned, key)
      if !planned.isRepeated {
        return try await core.answer(.full) { try core.commitOnline(planned.plan, done, key) }
      }
    }
    // What the first attempt did may have come with a pull, so it is not done here again.
    let receipt = try await core.answer(.full) {
      try core.commitOnline(StoreCore.Plan(), [], key)
    }
    _ = await pull(Set(planned.operations.map(\.record.collection)))
    return receipt
  }

  /// Sends what was planned, and returns what the server did, with the records' versions.
  private func push(
    _ planned: StoreCore.OnlinePlan, _ key: String?
  ) async throws -> [(operation: Outbox.Operation, version: String?)] {
    if planned.operations.isEmpty { return [] }
    let answers: [Outbox.Answer]
    do {
      answers = try await pushOnline(
        planned.operations.map { operation in
          var envelope = operation.envelope
          envelope.idempotencyKey = key
          return envelope
        })
    } catch {
      // The server has done nothing.
      if error.kind == .unauthorized || error.kind == .serverRejected { core.forgetAttempt(key) }
      throw error
    }
    var done: [(operation: Outbox.Operation, version: String?)] = []
    for operation in planned.operations {
      guard let answer = answers.first(where: { $0.id == operation.id }) else {
        throw RemoteError(.unknown, "the server did not answer about \(operation.record)")
      }
      do { done.append((operation, try answer.outcome.acceptedVersion())) } catch {
        core.forgetAttempt(key)
        throw error
      }
    }
    return done
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
  /// What a call is to do at the server and here.
  fileprivate struct OnlinePlan {
    var plan = Plan()
    var operations: [Outbox.Operation]
    /// The commit that must be durable first.
    var commit: UInt64?
    /// Whether an earlier call with the key has sent the same, with an unknown outcome.
    var isRepeated = false
  }

  private static let attemptArea = "online/"

  /// Plans what a body does, or repeats what was sent under its key before.
  fileprivate func planOnline(
    _ key: String?, _ body: (inout Store.Transaction) throws -> Void
  ) throws -> OnlinePlan {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    var planned: OnlinePlan
    if let key, let sent = local[Self.attemptArea + key].flatMap(Self.operations) {
      planned = OnlinePlan(operations: sent, commit: commitRead(.full), isRepeated: true)
    } else {
      planned = try planAnew(key, body)
      if let key, !planned.operations.isEmpty {
        let attempt = planned.operations.map { $0.encoded() }
        var writer = ByteWriter()
        attempt.encode(to: &writer)
        planned.commit = commitLocally(
          [LocalChange(key: Self.attemptArea + key, value: writer.finish())], .full)
      }
    }
    for operation in planned.operations { changedOnline[operation.record, default: 0] += 1 }
    return planned
  }

  private static func operations(_ bytes: [UInt8]) -> [Outbox.Operation]? {
    var reader = ByteReader(bytes)
    return (try? [[UInt8]](from: &reader)).flatMap { attempt in
      try? attempt.map { try Outbox.Operation(decoding: $0) }
    }
  }

  /// Forgets what was sent under a key, after the server has refused it.
  fileprivate func forgetAttempt(_ key: String?) {
    guard let key else { return }
    monitor.withLock {
      guard failure == nil, log != nil, !isClosing, local[Self.attemptArea + key] != nil else {
        return
      }
      _ = commitLocally([LocalChange(key: Self.attemptArea + key, value: nil)], .relaxed)
    }
  }

  private func planAnew(
    _ key: String?, _ body: (inout Store.Transaction) throws -> Void
  ) throws -> OnlinePlan {
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
    return OnlinePlan(plan: plan, operations: operations, commit: commitRead(.full))
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
    _ plan: Plan, _ done: [(operation: Outbox.Operation, version: String?)], _ key: String?
  ) throws -> (Store.Receipt, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    var kept = done.flatMap { note($0.operation, $0.version, mayRepeat: key != nil) }
    if let name = key.map({ Self.attemptArea + $0 }), local[name] != nil {
      kept.append(LocalChange(key: name, value: nil))
    }
    return try commit(plan, .full, isQueued: false, keeping: kept)
  }
}
