/// A scheduler based on tasks, for a process that keeps running, such as a server or a
/// desktop app.
///
/// Jobs live as long as the scheduler. It supports the constraints `network` and
/// `unmetered`. If times of a periodic job pass while it still waits, it does not catch up
/// on them.
public actor TaskScheduler: Scheduler {
  private struct Entry {
    let number: UInt64
    let task: Task<Void, Never>
  }

  private let surroundings: JobSurroundings
  private var waiting: [String: Entry] = [:]
  private var running: [String: Entry] = [:]
  private var lastNumber: UInt64 = 0

  /// Creates a scheduler with the closure that it runs.
  ///
  /// If the closure throws, the job has failed, and runs again after its
  /// ``ScheduledJob/backoff``.
  public init(
    connectivity: any Connectivity = AlwaysOnline(),
    clock: any MonotonicClock = SystemMonotonicClock(),
    run: @escaping @Sendable (_ name: String) async throws -> Void
  ) {
    surroundings = JobSurroundings(connectivity: connectivity, clock: clock, run: run)
  }

  deinit {
    for entry in waiting.values { entry.task.cancel() }
    for entry in running.values { entry.task.cancel() }
  }

  /// One-time and periodic jobs, with the constraints `network` and `unmetered`.
  public nonisolated var capabilities: SchedulerCapabilities {
    SchedulerCapabilities(
      supportsPeriodic: true, requiresUserGesture: false, minimumInterval: .zero,
      constraints: [.network, .unmetered])
  }

  /// Schedules a job, or returns why it can't.
  public func schedule(_ job: ScheduledJob) -> SchedulingAnswer {
    if let objection = capabilities.objection(to: job) { return .notSupported(objection) }
    if let old = waiting[job.name] {
      if job.existing == .keep { return .kept }
      old.task.cancel()
    }
    lastNumber += 1
    let (number, surroundings) = (lastNumber, surroundings)
    let start = surroundings.clock.elapsed
    let task = Task { [weak self] in
      var due = job.firstTime(since: start)
      var (moment, failures) = (due, 0)
      while await surroundings.wait(until: moment, for: job.constraints) {
        let now = surroundings.clock.elapsed
        guard await self?.begin(job, number) == true else { return }
        let isDone = await surroundings.runs(job.name)
        guard await self?.end(job, number, isDone: isDone) == true else { return }
        failures = isDone ? 0 : failures + 1
        let again = surroundings.clock.elapsed + job.backoff.delay(after: failures)
        guard let next = job.nextTime(after: due, begunAt: now) else {
          moment = again
          continue
        }
        moment = isDone ? next : min(next, again)
        if moment == next { due = next }
      }
    }
    waiting[job.name] = Entry(number: number, task: task)
    return .scheduled
  }

  /// Cancels the waiting job of a name, and tells a running one to stop.
  public func cancel(_ name: String) {
    waiting.removeValue(forKey: name)?.task.cancel()
    running[name]?.task.cancel()
  }

  /// Cancels all jobs.
  public func cancelAll() {
    for name in Set(waiting.keys).union(running.keys) { cancel(name) }
  }

  /// The names of the waiting jobs.
  public var names: [String] { waiting.keys.sorted() }

  /// Marks a job as running once no other job of its name runs.
  ///
  /// Returns whether it should still run.
  private func begin(_ job: ScheduledJob, _ number: UInt64) async -> Bool {
    while let other = running[job.name] { await other.task.value }
    guard !Task.isCancelled, let entry = waiting[job.name], entry.number == number else {
      return false
    }
    running[job.name] = entry
    if case .once = job.timing { waiting[job.name] = nil }
    return true
  }

  /// Records that a job has ended.
  ///
  /// Returns whether it runs again.
  private func end(_ job: ScheduledJob, _ number: UInt64, isDone: Bool) -> Bool {
    guard let entry = running[job.name], entry.number == number else { return false }
    running[job.name] = nil
    guard !Task.isCancelled else { return false }
    if case .once = job.timing {
      // Another job of its name may have been scheduled meanwhile.
      guard !isDone, waiting[job.name] == nil else { return false }
      waiting[job.name] = entry
    }
    return waiting[job.name]?.number == number
  }
}

/// The values that a job's task needs from its ``TaskScheduler`` without retaining it.
struct JobSurroundings: Sendable {
  let connectivity: any Connectivity
  let clock: any MonotonicClock
  let run: @Sendable (_ name: String) async throws -> Void

  /// Runs a job.
  ///
  /// Returns whether it succeeded.
  func runs(_ name: String) async -> Bool {
    do { try await run(name) } catch { return Task.isCancelled }
    return true
  }

  /// Waits until a job may begin.
  ///
  /// Returns `false` if its task was cancelled.
  func wait(until due: Duration, for constraints: ScheduledJob.Constraints) async -> Bool {
    do { try await clock.sleep(until: due) } catch { return false }
    guard !constraints.isEmpty else { return true }
    for await state in connectivity.states {
      let holds = constraints.contains(.unmetered) ? state == .online : state.reachesServers
      if holds { return !Task.isCancelled }
    }
    return false
  }
}

extension ScheduledJob {
  /// When the job runs for the first time.
  func firstTime(since start: Duration) -> Duration {
    switch timing {
    case .once(let delay): start + delay
    case .periodic(let interval): start + interval
    }
  }

  /// When a periodic job runs next: at the first of its times that was still in the future
  /// when it began.
  func nextTime(after last: Duration, begunAt moment: Duration) -> Duration? {
    guard case .periodic(let interval) = timing else { return nil }
    let missed = ((moment - last) / interval).rounded(.down)
    return last + interval * (max(0, missed) + 1)
  }
}
