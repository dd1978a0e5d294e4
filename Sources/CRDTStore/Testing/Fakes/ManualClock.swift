public import CRDTStore

/// A monotonic and wall clock that a test moves by hand.
///
///     let clock = ManualClock()
///     …                                // something sleeps by the clock
///     await clock.waitForSleepers(1)
///     clock.advance(by: .seconds(60))  // and wakes
public final class ManualClock: MonotonicClock, WallClock {
  private struct Sleeper {
    let moment: Duration
    let continuation: UnsafeContinuation<Bool, Never>
  }

  private struct State {
    var elapsed = Duration.zero
    /// The time of day without the time that has elapsed.
    var startMilliseconds: Int128
    var sleepers: [Int: Sleeper] = [:]
    var nextSleeper = 0

    var elapsedMilliseconds: Int128 { Int128(elapsed / Duration.milliseconds(1)) }
  }

  private let state: Locked<State>

  /// Creates a stopped clock with a time of day.
  public init(milliseconds: UInt64 = 1_700_000_000_000) {
    state = Locked(State(startMilliseconds: Int128(milliseconds)))
  }

  /// The total time by which the clock was advanced.
  public var elapsed: Duration { state.withLock { $0.elapsed } }

  /// The time of day.
  ///
  /// You can set it, also back, as a user sets a wrong clock right. That wakes nobody and
  /// doesn't change ``elapsed``.
  public var milliseconds: UInt64 {
    get { state.withLock { UInt64(clamping: $0.startMilliseconds + $0.elapsedMilliseconds) } }
    set {
      state.withLock { $0.startMilliseconds = Int128(newValue) - $0.elapsedMilliseconds }
    }
  }

  /// Advances the clock, and wakes the due sleepers, the earliest first.
  ///
  /// - Complexity: O(n log n) in the sleepers.
  public func advance(by span: Duration) {
    let due = state.withLock { state in
      state.elapsed += span
      let due = state.sleepers.filter { $0.value.moment <= state.elapsed }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }
    }
    for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
  }

  /// The number of sleepers.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// When the next sleeper is due; `nil` if there is none.
  public var nextWaking: Duration? {
    state.withLock { $0.sleepers.values.map(\.moment).min() }
  }

  /// Waits for a number of sleepers, for some seconds at most.
  ///
  /// Returns whether there are that many.
  @discardableResult
  public func waitForSleepers(_ count: Int) async -> Bool {
    await Waiting.until { self.sleeperCount >= count }
  }

  /// Waits until the clock was advanced to a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until moment: Duration) async throws(CancellationError) {
    let number = state.withLock { state in
      defer { state.nextSleeper += 1 }
      return state.nextSleeper
    }
    let isDue = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isDue = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          if moment <= state.elapsed { return true }
          state.sleepers[number] = Sleeper(moment: moment, continuation: continuation)
          return nil
        }
        if let isDue { continuation.resume(returning: isDue) }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(returning: false)
    }
    guard isDue else { throw CancellationError() }
  }
}

/// A gate at which tasks wait until it is opened.
public final class Gate: Sendable {
  private let state = Locked(State())

  private struct State {
    var isOpen = false
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  /// Creates a gate that is closed.
  public init() {}

  /// Waits until the gate is open.
  ///
  /// Returns `false` if the task was cancelled.
  @discardableResult
  public func wait() async -> Bool {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiting.append(continuation) }
      return state.isOpen
    }
    if isOpen { return true }
    for await _ in stream {}
    return !Task.isCancelled
  }

  /// Releases all waiting tasks, and lets all later ones pass.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.finish() }
  }

  /// The number of waiting tasks.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }
}
