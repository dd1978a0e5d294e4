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
