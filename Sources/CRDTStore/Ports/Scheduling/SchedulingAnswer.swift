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
