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
