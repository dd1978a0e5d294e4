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

  /// Creates a job.
  public init(
    _ name: String, _ timing: Timing, constraints: JobConstraints = [], existing: Existing = .keep
  ) {
    self.name = name
    self.timing = timing
    self.constraints = constraints
    self.existing = existing
  }
}
