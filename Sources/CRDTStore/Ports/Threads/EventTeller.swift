/// Tells an app of events one after another, in the order in which they happened, on a thread
/// that ends when there are no more.
final class EventTeller: Sendable {
  private struct Waiting {
    var tellings: [@Sendable () -> Void] = []
    /// Whether a thread tells them.
    var hasThread = false
  }

  private let waiting = Locked(Waiting())

  /// Tells of an event, not within the call.
  ///
  /// Where no thread is to be had, it is told with the next one.
  func tell(_ telling: @escaping @Sendable () -> Void) {
    let needsThread = waiting.withLock { waiting in
      waiting.tellings.append(telling)
      defer { waiting.hasThread = true }
      return !waiting.hasThread
    }
    guard needsThread, !StoreThread.start({ [self] in tellAll() }) else { return }
    waiting.withLock { $0.hasThread = false }
  }

  private func tellAll() {
    while true {
      let tellings = waiting.withLock { waiting in
        defer { waiting.tellings = [] }
        waiting.hasThread = !waiting.tellings.isEmpty
        return waiting.tellings
      }
      guard !tellings.isEmpty else { return }
      for telling in tellings { telling() }
    }
  }
}

/// A value that a thread hands over to a task that waits for it: once, and at any time.
///
/// It is what a continuation is, with a lock about it. A continuation may be resumed before its
/// task waits; then the thread sanitizer doesn't see that all that was done before is done, and
/// would report as races what the task does next. A lock it sees.
final class Handover<Value: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  // The continuation is set before anybody else has the handover; the value is guarded.
  private var continuation: UnsafeContinuation<Void, Never>?
  private var value: Value?

  private init() {}

  /// Hands the value over; must be done once.
  func resume(returning value: Value) {
    monitor.withLock {
      self.value = value
      continuation?.resume()
    }
  }

  private func take() -> Value {
    monitor.withLock {
      guard let value else { preconditionFailure("nothing was handed over") }
      return value
    }
  }

  /// Lets the task wait for what the body, or whoever it gives the handover to, hands over.
  nonisolated(nonsending) static func wait(_ body: (Handover) -> Void) async -> Value {
    let handover = Handover()
    await withUnsafeContinuation { continuation in
      handover.continuation = continuation
      body(handover)
    }
    return handover.take()
  }
}

extension Handover<Void> {
  /// Lets the task go on.
  func resume() { resume(returning: ()) }
}
