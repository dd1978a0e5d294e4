/// Runs named jobs later, also while the app isn't in front where the platform can.
///
/// ``TaskScheduler`` is the one for processes that run on. Where jobs are answered
/// with ``SchedulingAnswer/notSupported(_:)``, the same work is to be begun by what
/// happens while the app is in front: see ``SyncTrigger``. Contract:
/// - A job is begun after its time, when its constraints hold; how long after is the
///   platform's affair. A constraint that the platform knows nothing of is refused,
///   not ignored.
/// - Of one name there is one job that waits: of several with `keep` the first, with
///   `replace` the last. Of one name one job runs at a time.
/// - A job that has begun and isn't periodic waits no more: another one of its name
///   is taken, and begins when it has ended.
/// - A job that has failed, since what it runs has thrown an error, is run again after its
///   ``ScheduledJob/backoff``, when its constraints hold, a periodic one at its next time
///   at the latest. Meanwhile it waits, unless another of its name does by now. One that was
///   told to stop hasn't failed.
/// - What is run is told at the start of the process, as one closure that is given the
///   name. Its task is cancelled when the platform's time for it is over, or the job
///   is cancelled: it must then stop soon, and leave things so that it can go on later.
/// - After ``cancel(_:)`` has returned, the job isn't begun any more.
/// - Methods may be called from any task, from within a job too.
public protocol Scheduler: Sendable {
  /// What can be done here; it may change, as when the user forbids it.
  var capabilities: SchedulerCapabilities { get async }

  /// Schedules a job, or says why it can't be.
  func schedule(_ job: ScheduledJob) async -> SchedulingAnswer

  /// Cancels the job of a name, if there is one, and tells one that runs to stop.
  func cancel(_ name: String) async
}

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

/// What must hold before a job is begun.
public struct JobConstraints: OptionSet, Hashable, Sendable {
  /// One bit a constraint.
  public let rawValue: UInt8

  /// Creates a set of constraints from their bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Servers are reached.
  public static let network = JobConstraints(rawValue: 1)
  /// Servers are reached over what isn't metered.
  public static let unmetered = JobConstraints(rawValue: 2)
  /// The device is on power.
  public static let charging = JobConstraints(rawValue: 4)
  /// Nobody is using the device.
  public static let idle = JobConstraints(rawValue: 8)
  /// The battery isn't low.
  public static let batteryNotLow = JobConstraints(rawValue: 16)
}

extension JobConstraints: CustomStringConvertible {
  /// The names of the constraints, with commas.
  public var description: String {
    let names: [(JobConstraints, String)] = [
      (.network, "network"), (.unmetered, "unmetered"), (.charging, "charging"), (.idle, "idle"),
      (.batteryNotLow, "batteryNotLow"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}

/// What became of a job that was to be scheduled.
public enum SchedulingAnswer: Hashable, Sendable {
  /// It will be run.
  case scheduled
  /// One of the same name waits already, and will be run.
  case kept
  /// It won't be run: the app must see to it while it is in front.
  case notSupported(Objection)

  /// Why a job can't be scheduled.
  public enum Objection: Hashable, Sendable {
    /// There is no background work here, or the user doesn't allow it.
    case background
    /// Jobs aren't run again and again here.
    case periodic
    /// Periodic jobs are run so often at most.
    case interval(min: Duration)
    /// Of these constraints nothing is known here.
    case constraints(JobConstraints)
    /// It takes the user doing something at the time.
    case userGesture
  }
}

/// What a scheduler can do on its platform.
public struct SchedulerCapabilities: Hashable, Sendable {
  /// Whether jobs are run again and again.
  public var supportsPeriodic: Bool
  /// Whether a job can be scheduled only while the user does something.
  public var requiresUserGesture: Bool
  /// How often a periodic job is run at most.
  public var intervalMin: Duration
  /// What jobs can wait for.
  public var constraints: JobConstraints

  /// Creates a description.
  public init(
    supportsPeriodic: Bool, requiresUserGesture: Bool, intervalMin: Duration,
    constraints: JobConstraints
  ) {
    self.supportsPeriodic = supportsPeriodic
    self.requiresUserGesture = requiresUserGesture
    self.intervalMin = intervalMin
    self.constraints = constraints
  }

  /// No background work at all: everything is answered with "not supported".
  public static let none = SchedulerCapabilities(
    supportsPeriodic: false, requiresUserGesture: false, intervalMin: .zero, constraints: [])
}

extension SchedulerCapabilities {
  /// Why a job can't be scheduled; `nil` if it can.
  public func objection(to job: ScheduledJob) -> SchedulingAnswer.Objection? {
    let unknown = job.constraints.subtracting(constraints)
    if !unknown.isEmpty { return .constraints(unknown) }
    guard case .periodic(let interval) = job.timing else { return nil }
    guard supportsPeriodic else { return .periodic }
    let least = max(intervalMin, .milliseconds(1))
    return interval < least ? .interval(min: least) : nil
  }
}
