/// A job to be run later: a name, when, and on which conditions.
///
/// What is run isn't part of it: a platform may start the app anew for it, so the
/// app says once, when it starts, what a name stands for.
public struct ScheduledJob: Hashable, Sendable {
  /// When a job is run.
  public enum Timing: Hashable, Sendable {
    /// Once, after a span of time at the earliest.
    case once(after: Duration)
    /// Again and again, about so often; the first time after one such span.
    case periodic(every: Duration)
  }

  /// What happens to a job of the same name that waits already.
  public enum Existing: Hashable, Sendable {
    /// It stays, and the new one is dropped.
    case keep
    /// The new one takes its place.
    case replace
  }

  /// The name, of which there is one job at most.
  public var name: String
  /// When it is run.
  public var timing: Timing
  /// What must hold before it is begun.
  public var constraints: JobConstraints
  /// What happens to one of the same name.
  public var existing: Existing
  /// How long after a failure it is run again.
  public var backoff: Backoff

  /// Creates a job.
  public init(
    _ name: String, _ timing: Timing, constraints: JobConstraints = [],
    existing: Existing = .keep, backoff: Backoff = Backoff()
  ) {
    self.name = name
    self.timing = timing
    self.constraints = constraints
    self.existing = existing
    self.backoff = backoff
  }
}

extension ScheduledJob {
  /// How long after a failure a job is run again: twice as long after each further one in a
  /// row.
  public struct Backoff: Hashable, Sendable {
    /// How long after the first.
    public var first: Duration
    /// How long at most.
    public var max: Duration

    /// Creates a backoff: as platforms have it, 30 seconds and then twice as long each time,
    /// up to five hours.
    public init(first: Duration = .seconds(30), max: Duration = .seconds(5 * 3_600)) {
      self.first = first
      self.max = max
    }

    /// How long to wait after so many failures in a row, the first of which is 1.
    public func delay(after failures: Int) -> Duration {
      let longest = Swift.max(max, .zero)
      var delay = min(Swift.max(first, .zero), longest)
      for _ in 1..<Swift.max(failures, 1) {
        guard delay > .zero, delay < longest / 2 else { return delay > .zero ? longest : .zero }
        delay *= 2
      }
      return delay
    }
  }
}
