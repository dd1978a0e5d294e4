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
