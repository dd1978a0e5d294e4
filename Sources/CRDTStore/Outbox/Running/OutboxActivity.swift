/// What an outbox does, and whether its server could be asked: what an app shows.
///
///     for await activity in outbox.activities {
///       banner = activity.failure == nil ? nil : "Couldn't sync, will retry"
///       isSpinning = activity.isSyncing
///     }
public struct OutboxActivity: Hashable, Sendable {
  /// Whether an exchange with the server is under way.
  public var isSyncing = false
  /// What came of the last exchange that has ended; `nil` before the first.
  public var report: OutboxReport?
  /// Why the last exchange that asked the server failed, if it did.
  ///
  /// It stays until the server has answered all that it was asked. An exchange that ran out
  /// of its own time hasn't failed.
  public var failure: OutboxReport.Interruption?
  /// When what waits is to be sent again, in milliseconds since 1970; `nil` where nothing
  /// waits for its time.
  public var retryMilliseconds: UInt64?

  /// Creates what is so before the first exchange.
  public init() {}
}

extension OutboxActivity {
  /// Notes what came of an exchange.
  mutating func note(_ report: OutboxReport) {
    self.report = report
    switch report.interruption {
    case .remote, .store: failure = report.interruption
    // Where nothing was asked, it isn't known to be better than before.
    case nil where report.answers > 0: failure = nil
    case .deadline, nil: break
    }
  }
}

/// Tells those who want to know what an outbox does.
final class OutboxActivities: Sendable {
  private struct Shared {
    var activity = OutboxActivity()
    /// How many exchanges are under way.
    var exchanges = 0
    var listeners: [Int: AsyncStream<OutboxActivity>.Continuation] = [:]
    var nextListener = 0
  }

  private let shared = Locked(Shared())

  deinit {
    for listener in shared.withLock({ $0.listeners }).values { listener.finish() }
  }

  var activity: OutboxActivity { shared.withLock { $0.activity } }

  /// Notes that an exchange begins.
  func begin() {
    change { $0.exchanges += 1 }
  }

  /// Notes that an exchange has ended.
  func end(_ report: OutboxReport, retrying moment: UInt64?) {
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
      // With the lock held, so that all hear of them in their order.
      for listener in shared.listeners.values { listener.yield(shared.activity) }
    }
  }

  /// What is done now, and each change of it.
  func stream() -> AsyncStream<OutboxActivity> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: OutboxActivity.self, bufferingPolicy: .bufferingNewest(1))
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
  /// What the outbox does now, by ``run(triggers:)`` or by calls, and what came of it.
  public var activity: OutboxActivity { told.activity }

  /// What the outbox does now, and each change of it.
  ///
  /// Where they come faster than they are taken, only the newest is given. They end with
  /// the outbox.
  public var activities: AsyncStream<OutboxActivity> { told.stream() }

  /// Does an exchange, and tells of it.
  func exchange(_ body: (inout OutboxReport) async -> Void) async -> OutboxReport {
    told.begin()
    var report = OutboxReport()
    await body(&report)
    await finish(&report)
    told.end(report, retrying: nextAttemptMilliseconds)
    return report
  }
}
