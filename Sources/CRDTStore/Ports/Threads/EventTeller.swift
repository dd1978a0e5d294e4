/// Delivers events to an app one after another, in order, on a thread that ends when none
/// are left.
final class EventTeller: Sendable {
  private struct Waiting {
    var tellings: [@Sendable () -> Void] = []
    /// Whether a thread delivers events.
    var hasThread = false
  }

  private let waiting = Locked(Waiting())

  /// Delivers an event after the call has returned.
  ///
  /// If no thread is available, the event is delivered with the next one.
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

/// A value that a thread passes to a waiting task, once and at any time.
///
/// It is a continuation with a lock. A continuation may be resumed before its task waits.
/// The thread sanitizer then doesn't see that earlier work happens before the task
/// continues, and would report races. It does understand a lock.
final class Handover<Value: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  // The continuation is set before the handover is shared; the lock guards the value.
  private var continuation: UnsafeContinuation<Void, Never>?
  private var value: Value?

  private init() {}

  /// Passes the value; must be called once.
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

  /// Waits for the value that the body, or code that receives the handover from it, passes.
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
  /// Resumes the task.
  func resume() { resume(returning: ()) }
}
