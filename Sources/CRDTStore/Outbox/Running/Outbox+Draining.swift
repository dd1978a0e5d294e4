import CRDTKit

extension Outbox {
  /// Sends all due operations, until none is left.
  ///
  /// You can end it at any time, with the limit or by cancelling the task. Unanswered
  /// operations are sent again later, under the same identifiers.
  ///
  /// - Parameter limit: How long it may take, such as the background time that a phone
  ///   gives an app.
  /// - Returns: The result.
  public func drain(within limit: Duration? = nil) async -> Outbox.Report {
    let deadline = limit.map { options.clock.elapsed + $0 }
    return await exchange { await drain(until: deadline, &$0) }
  }

  /// Waits until the full commits behind a report are durable.
  ///
  /// Answers of the server are stored with relaxed durability, and requested again after a
  /// crash.
  func finish(_ report: inout Outbox.Report) async {
    do {
      try await core.untilReadIsDurable(.relaxed)
    } catch {
      report.interruption = report.interruption ?? .store("\(error)")
    }
  }

  func drain(until deadline: Duration?, _ report: inout Outbox.Report) async {
    var renewal = CredentialRenewal()
    if needsCredentials {
      // The credentials were refused before; they may have been renewed by now.
      let error = RemoteError(.unauthorized, "there are no credentials")
      if await !renewal.renews(after: error, for: self, until: deadline) {
        report.interruption = .remote(error)
      }
    }
    while report.interruption == nil {
      if isOver(deadline) {
        report.interruption = .deadline
        break
      }
      do {
        guard let (batch, commit) = try core.nextBatch(at: now) else { break }
        // Nobody may receive changes that a crash could revert.
        try await core.untilDurable(commit)
        report.sent += batch.operations.count
        try await send(batch, until: deadline, &report)
        if case .remote(let error)? = report.interruption,
          await renewal.renews(after: error, for: self, until: deadline)
        {
          report.interruption = nil
        }
      } catch {
        report.interruption = .store("\(error)")
      }
    }
    report.pending = core.monitor.withLock { core.outbox.pendingCount }
  }

  /// Whether operations are pending that need new credentials.
  private var needsCredentials: Bool {
    core.monitor.withLock { core.outbox.needsCredentials && core.outbox.pendingCount > 0 }
  }

  private func send(
    _ batch: OutboxBatch, until deadline: Duration?, _ report: inout Outbox.Report
  ) async throws {
    let actions: [OutboxAction]
    switch await push(batch.sentEnvelopes, until: deadline) {
    case .success(let answers):
      report.answers += 1
      actions = try core.received(answers, for: batch, at: now)
    case .failure(let error):
      actions = try core.failed(batch, error, at: now)
      report.interruption = isOver(deadline) ? .deadline : .remote(error)
    }
    for action in actions {
      switch action {
      case .accepted: report.accepted += 1
      case .deadLettered: report.deadLettered += 1
      case .rebase: report.conflicts += 1
      case .superseded: report.superseded += 1
      case .coalesced, .retried, .discarded, .backlog, .credentialsNeeded: break
      }
    }
  }

  private func push(
    _ operations: [Outbox.Envelope], until deadline: Duration?
  ) async -> Result<[Outbox.Answer], RemoteError> {
    await limited(until: deadline) { [transport] () throws(RemoteError) in
      try await transport.push(operations)
    }
  }

  /// Performs a request, and abandons it at the deadline or after the call limit.
  func limited<Value: Sendable>(
    until deadline: Duration? = nil,
    _ body: @escaping @Sendable () async throws(RemoteError) -> Value
  ) async -> Result<Value, RemoteError> {
    let limit = options.callLimit
    let rest = deadline.map { $0 - options.clock.elapsed } ?? limit
    let result = await options.clock.limit(to: min(rest, limit)) {
      () -> Result<Value, RemoteError> in
      do throws(RemoteError) { return .success(try await body()) } catch { return .failure(error) }
    }
    if let result { return result }
    let isGivenUp = Task.isCancelled || (deadline != nil && rest <= limit)
    return .failure(
      isGivenUp
        ? RemoteError(.cancelled, "the time for it is over")
        : RemoteError(.timeout, "there was no answer within \(limit)"))
  }

  func isOver(_ deadline: Duration?) -> Bool {
    Task.isCancelled || (deadline.map { options.clock.elapsed >= $0 } ?? false)
  }
}

/// Renews the credentials at most once per exchange.
///
/// Otherwise a server that accepts none would be asked forever.
struct CredentialRenewal {
  private var isDone = false

  /// Renews the credentials if an error asks for that.
  ///
  /// Returns whether to repeat the request.
  mutating func renews(
    after error: RemoteError, for outbox: Outbox, until deadline: Duration?
  ) async -> Bool {
    guard error.kind == .unauthorized, !isDone, let provider = outbox.options.credentials else {
      return false
    }
    isDone = true
    let result = await outbox.limited(until: deadline) { () throws(RemoteError) in
      await outbox.hasReplacedCredential(of: provider)
    }
    guard case .success(true) = result else { return false }
    outbox.credentialsRenewed()
    return true
  }
}

extension Outbox {
  /// Replaces the rejected credential; returns whether there is a newer one.
  fileprivate func hasReplacedCredential(of provider: any CredentialProvider) async -> Bool {
    do throws(CredentialError) {
      var refused = self.refused.withLock { $0 }
      if refused == nil { refused = try await provider.credential() }
      guard let refused else { return false }
      // If this fails, one that the user gets until the next time is not replaced as well.
      self.refused.withLock { $0 = refused }
      _ = try await provider.credential(replacing: refused)
      return true
    } catch {
      return false
    }
  }
}
