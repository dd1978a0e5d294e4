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
