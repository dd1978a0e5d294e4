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
