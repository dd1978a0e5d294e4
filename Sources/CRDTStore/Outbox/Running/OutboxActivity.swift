extension Outbox {
  /// The activity of an outbox, for display in an app: whether it syncs, and the last result.
  ///
  ///     for await activity in outbox.activities {
  ///       banner = activity.failure == nil ? nil : "Couldn't sync, will retry"
  ///       isSpinning = activity.isSyncing
  ///     }
  public struct Activity: Hashable, Sendable {
    /// Whether an exchange with the server is in progress.
    public var isSyncing = false
    /// The report of the last finished exchange; `nil` before the first.
    public var report: Outbox.Report?
    /// Why the last exchange that contacted the server failed, if it did.
    ///
    /// It stays until the server has answered every request of an exchange. An exchange that
    /// reached its own time limit has not failed.
    public var failure: Outbox.Report.Interruption?
    /// When the next waiting operation is sent again, in milliseconds since 1970; `nil` if
    /// none waits for a time.
    public var retryMilliseconds: UInt64?

    /// Creates the activity before the first exchange.
    public init() {}
  }
}

extension Outbox.Activity {
  /// Records the result of an exchange.
  mutating func note(_ report: Outbox.Report) {
    self.report = report
    switch report.interruption {
    case .remote, .store: failure = report.interruption
    // Without a request, an earlier failure may persist.
    case nil where report.answers > 0: failure = nil
    case .deadline, nil: break
    }
  }
}

/// Publishes the activity of an outbox.
final class OutboxActivities: Sendable {
  private struct Shared {
    var activity = Outbox.Activity()
    /// The number of exchanges in progress.
    var exchanges = 0
    var listeners: [Int: AsyncStream<Outbox.Activity>.Continuation] = [:]
    var nextListener = 0
  }

  private let shared = Locked(Shared())

  deinit {
    for listener in shared.withLock({ $0.listeners }).values { listener.finish() }
  }

  var activity: Outbox.Activity { shared.withLock { $0.activity } }

  /// Records the beginning of an exchange.
  func begin() {
    change { $0.exchanges += 1 }
  }

  /// Records the end of an exchange.
  func end(_ report: Outbox.Report, retrying moment: UInt64?) {
    change { shared in
      shared.exchanges -= 1
      shared.activity.note(report)
      shared.activity.retryMilliseconds = moment
    }
  }

  private func change(_ body: (inout Shared) -> Void) {
    shared.withLock { shared in
      let before = shared.activity
      body(&shared)
      shared.activity.isSyncing = shared.exchanges > 0
      guard shared.activity != before else { return }
      // Yield with the lock held, so that all listeners receive them in order.
      for listener in shared.listeners.values { listener.yield(shared.activity) }
    }
  }

  /// The current activity, and each change.
  func stream() -> AsyncStream<Outbox.Activity> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Outbox.Activity.self, bufferingPolicy: .bufferingNewest(1))
    let listener = shared.withLock { shared in
      defer { shared.nextListener += 1 }
      shared.listeners[shared.nextListener] = continuation
      continuation.yield(shared.activity)
      return shared.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.shared.withLock { _ = $0.listeners.removeValue(forKey: listener) }
    }
    return stream
  }
}

extension Outbox {
  /// The current activity, caused by ``run(triggers:)`` or by calls.
  public var activity: Outbox.Activity { told.activity }

  /// The current activity, and each change.
  ///
  /// If changes come faster than you read them, you receive only the newest. The stream
  /// ends with the outbox.
  public var activities: AsyncStream<Outbox.Activity> { told.stream() }

  /// Performs an exchange, and publishes its activity.
  func exchange(_ body: (inout Outbox.Report) async -> Void) async -> Outbox.Report {
    told.begin()
    var report = Outbox.Report()
    await body(&report)
    await finish(&report)
    told.end(report, retrying: nextAttemptMilliseconds)
    return report
  }
}
