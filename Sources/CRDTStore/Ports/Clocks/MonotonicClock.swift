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

/// The clock of the machine that measures spans: `ContinuousClock`.
public struct SystemMonotonicClock: MonotonicClock {
  private static let start = ContinuousClock.now

  /// Creates it; there is nothing to set.
  public init() {}

  /// The time since a clock of this kind was first used in this process.
  public var elapsed: Duration { Self.start.duration(to: .now) }

  /// Waits until as much time has elapsed.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  public func sleep(until moment: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(until: Self.start + moment, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}

extension MonotonicClock {
  /// Does something that may take a span of time at most; `nil` where it takes longer,
  /// or the task is cancelled.
  ///
  /// What takes too long is cancelled, and not waited for.
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
