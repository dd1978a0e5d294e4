/// Runs named jobs later, even in the background if the platform can.
///
/// ``TaskScheduler`` is for processes that keep running. If a job gets the answer
/// ``SchedulingAnswer/notSupported(_:)``, start its work from events in the foreground: see
/// ``SyncPolicy/Trigger``. Contract:
/// - A job begins after its time, when its constraints hold. The platform decides how long
///   after. An unknown constraint is rejected, not ignored.
/// - Each name has at most one waiting job: with `keep` the first one, with `replace` the
///   last one. Each name has at most one running job.
/// - A job that has begun and isn't periodic no longer waits: another one of its name is
///   accepted, and begins after the first has ended.
/// - A job whose closure has thrown an error has failed. It runs again after its
///   ``ScheduledJob/backoff``, when its constraints hold; a periodic job at its next time
///   at the latest. Meanwhile it waits, unless another job of its name waits by now. A job
///   that was told to stop hasn't failed.
/// - You set what jobs run at the start of the process, as one closure that receives the
///   name. Its task is cancelled when the platform's time for it is over, or the job is
///   cancelled. It must then stop soon, in a state from which it can continue later.
/// - After ``cancel(_:)`` has returned, the job doesn't begin any more.
/// - Methods may be called from any task, including a job.
public protocol Scheduler: Sendable {
  /// The scheduler's capabilities, which may change, for example if the user forbids
  /// background work.
  var capabilities: SchedulerCapabilities { get async }

  /// Schedules a job, or returns why it can't.
  func schedule(_ job: ScheduledJob) async -> SchedulingAnswer

  /// Cancels the waiting job of a name, if any, and tells a running one to stop.
  func cancel(_ name: String) async
}

/// A job to run later: a name, a time and conditions.
///
/// It doesn't contain the code to run. A platform may start the app again for it, so the
/// app declares once, when it starts, what each name runs.
public struct ScheduledJob: Hashable, Sendable {
  /// When a job runs.
  public enum Timing: Hashable, Sendable {
    /// Once, after a delay at the earliest.
    case once(after: Duration)
    /// Repeatedly, at about this interval; the first time after one interval.
    case periodic(every: Duration)
  }

  /// What happens to a waiting job of the same name.
  public enum Existing: Hashable, Sendable {
    /// The waiting job stays, and the new one is dropped.
    case keep
    /// The new job replaces it.
    case replace
  }

  /// The name, which at most one waiting job has.
  public var name: String
  /// When it runs.
  public var timing: Timing
  /// The conditions for it to begin.
  public var constraints: ScheduledJob.Constraints
  /// What happens to a waiting job of the same name.
  public var existing: Existing
  /// The delay before it runs again after a failure.
  public var backoff: Backoff

  /// Creates a job.
  public init(
    _ name: String, _ timing: Timing, constraints: ScheduledJob.Constraints = [],
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
  /// The delay before a job runs again after a failure.
  ///
  /// It doubles after each consecutive failure.
  public struct Backoff: Hashable, Sendable {
    /// The delay after the first failure.
    public var first: Duration
    /// The longest delay.
    public var max: Duration

    /// Creates a backoff.
    ///
    /// The defaults are those of platforms: 30 seconds, doubled each time, up to five
    /// hours.
    public init(first: Duration = .seconds(30), max: Duration = .seconds(5 * 3_600)) {
      self.first = first
      self.max = max
    }

    /// The delay after a number of consecutive failures, counted from 1.
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

extension ScheduledJob {
  /// The conditions for a job to begin.
  public struct Constraints: OptionSet, Hashable, Sendable {
    /// One bit per constraint.
    public let rawValue: UInt8

    /// Creates a set of constraints from their bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Servers are reached.
    public static let network = ScheduledJob.Constraints(rawValue: 1)
    /// Servers are reached over an unmetered connection.
    public static let unmetered = ScheduledJob.Constraints(rawValue: 2)
    /// The device is on power.
    public static let charging = ScheduledJob.Constraints(rawValue: 4)
    /// Nobody is using the device.
    public static let idle = ScheduledJob.Constraints(rawValue: 8)
    /// The battery isn't low.
    public static let batteryNotLow = ScheduledJob.Constraints(rawValue: 16)
  }
}

extension ScheduledJob.Constraints: CustomStringConvertible {
  /// The names of the constraints, separated by commas.
  public var description: String {
    let names: [(ScheduledJob.Constraints, String)] = [
      (.network, "network"), (.unmetered, "unmetered"), (.charging, "charging"), (.idle, "idle"),
      (.batteryNotLow, "batteryNotLow"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}

/// The answer to a request to schedule a job.
public enum SchedulingAnswer: Hashable, Sendable {
  /// It will run.
  case scheduled
  /// A job of the same name already waits, and will run.
  case kept
  /// It won't run: the app must do the work in the foreground.
  case notSupported(Objection)

  /// Why a job can't be scheduled.
  public enum Objection: Hashable, Sendable {
    /// Background work is not available, or the user doesn't allow it.
    case background
    /// Periodic jobs are not supported.
    case periodic
    /// The interval of a periodic job is shorter than this minimum.
    case interval(min: Duration)
    /// These constraints are not supported.
    case constraints(ScheduledJob.Constraints)
    /// A job can only be scheduled during a user gesture.
    case userGesture
  }
}

/// The capabilities of a scheduler on its platform.
public struct SchedulerCapabilities: Hashable, Sendable {
  /// Whether periodic jobs are supported.
  public var supportsPeriodic: Bool
  /// Whether a job can only be scheduled during a user gesture.
  public var requiresUserGesture: Bool
  /// The shortest interval of a periodic job.
  public var minimumInterval: Duration
  /// The supported constraints.
  public var constraints: ScheduledJob.Constraints

  /// Creates a description.
  public init(
    supportsPeriodic: Bool, requiresUserGesture: Bool, minimumInterval: Duration,
    constraints: ScheduledJob.Constraints
  ) {
    self.supportsPeriodic = supportsPeriodic
    self.requiresUserGesture = requiresUserGesture
    self.minimumInterval = minimumInterval
    self.constraints = constraints
  }

  /// No background work: every request gets the answer "not supported".
  public static let none = SchedulerCapabilities(
    supportsPeriodic: false, requiresUserGesture: false, minimumInterval: .zero, constraints: [])
}

extension SchedulerCapabilities {
  /// Why a job can't be scheduled; `nil` if it can.
  public func objection(to job: ScheduledJob) -> SchedulingAnswer.Objection? {
    let unknown = job.constraints.subtracting(constraints)
    if !unknown.isEmpty { return .constraints(unknown) }
    guard case .periodic(let interval) = job.timing else { return nil }
    guard supportsPeriodic else { return .periodic }
    let least = max(minimumInterval, .milliseconds(1))
    return interval < least ? .interval(min: least) : nil
  }
}
