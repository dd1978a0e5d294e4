/// Measures spans of time, whatever happens to the time of day.
///
/// ``SystemMonotonicClock`` is the real one. Contract:
/// - ``elapsed`` never goes back, is the same for all threads, and goes on while
///   nobody looks at it, while the machine sleeps too.
/// - ``sleep(until:)`` returns at or after its moment, at once where that is past.
///   It takes up no thread. When its task is cancelled it throws, soon.
public protocol MonotonicClock: Sendable {
  /// The time since some moment before, which stays the same while the process runs.
  var elapsed: Duration { get }

  /// Waits until as much time has elapsed.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func sleep(until moment: Duration) async throws(CancellationError)
}

extension MonotonicClock {
  /// Waits for a span of time.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func sleep(for span: Duration) async throws(CancellationError) {
    try await sleep(until: elapsed + span)
  }
}
