/// Measures elapsed time, independent of changes of the time of day.
///
/// ``SystemMonotonicClock`` is the real one. Contract:
/// - ``elapsed`` never goes back, is the same for all threads, and always advances, even
///   while the machine sleeps.
/// - ``sleep(until:)`` returns at or after its deadline, and at once if that has passed. It
///   blocks no thread. If its task is cancelled, it throws soon.
public protocol MonotonicClock: Sendable {
  /// The time since a fixed starting point, which stays the same while the process runs.
  var elapsed: Duration { get }

  /// Waits until ``elapsed`` has reached a value.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func sleep(until moment: Duration) async throws(CancellationError)
}

extension MonotonicClock {
  /// Waits for a span of time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(for span: Duration) async throws(CancellationError) {
    try await sleep(until: elapsed + span)
  }
}

/// The system's monotonic clock: `ContinuousClock`.
public struct SystemMonotonicClock: MonotonicClock {
  private static let start = ContinuousClock.now

  /// Creates an instance.
  public init() {}

  /// The time since a clock of this kind was first used in this process.
  public var elapsed: Duration { Self.start.duration(to: .now) }

  /// Waits until ``elapsed`` has reached a value.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until moment: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(until: Self.start + moment, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}

extension MonotonicClock {
  /// Runs a body with a time limit; returns `nil` if it takes longer, or the task is
  /// cancelled.
  ///
  /// A body that takes too long is cancelled and abandoned.
  package func limit<Value: Sendable>(
    to span: Duration, _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    let work = Task {
      continuation.yield(await body())
      continuation.finish()
    }
    let timer = Task {
      try? await sleep(for: span)
      continuation.finish()
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    for await value in values { return value }
    return nil
  }
}
