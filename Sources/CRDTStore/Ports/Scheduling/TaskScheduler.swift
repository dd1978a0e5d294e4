/// The scheduler of a process that runs on, as a server or a desktop app: by tasks.
///
/// Jobs live as long as it does. Of constraints it knows `network` and `unmetered`.
/// Times of a periodic job that pass while it still waits are not made up for.
public actor TaskScheduler: Scheduler {
  private struct Entry {
    let number: UInt64
    let task: Task<Void, Never>
  }

  private let surroundings: JobSurroundings
  private var waiting: [String: Entry] = [:]
  private var running: [String: Entry] = [:]
  private var lastNumber: UInt64 = 0

  /// Creates a scheduler, and says what it is to run; where that throws, the job has failed,
  /// and is run again after its ``ScheduledJob/backoff``.
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

  /// Jobs once or periodically, that wait for the network if they are to.
  public nonisolated var capabilities: SchedulerCapabilities {
    SchedulerCapabilities(
      supportsPeriodic: true, requiresUserGesture: false, intervalMin: .zero,
      constraints: [.network, .unmetered])
  }

  /// Schedules a job, or says why it can't be.
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

  /// Cancels the job of a name, and tells one that runs to stop.
  public func cancel(_ name: String) {
    waiting.removeValue(forKey: name)?.task.cancel()
    running[name]?.task.cancel()
  }

  /// Cancels all jobs.
  public func cancelAll() {
    for name in Set(waiting.keys).union(running.keys) { cancel(name) }
  }

  /// The names of the jobs that wait.
  public var names: [String] { waiting.keys.sorted() }

  /// Marks a job as running, once no other of its name is; says whether it is still
  /// to be run.
  private func begin(_ job: ScheduledJob, _ number: UInt64) async -> Bool {
    while let other = running[job.name] { await other.task.value }
    guard !Task.isCancelled, let entry = waiting[job.name], entry.number == number else {
      return false
    }
    running[job.name] = entry
    if case .once = job.timing { waiting[job.name] = nil }
    return true
  }

  /// Notes that a job has ended; says whether it is to be run again.
  private func end(_ job: ScheduledJob, _ number: UInt64, isDone: Bool) -> Bool {
    guard let entry = running[job.name], entry.number == number else { return false }
    running[job.name] = nil
    guard !Task.isCancelled else { return false }
    if case .once = job.timing {
      // Another of its name may have come meanwhile.
      guard !isDone, waiting[job.name] == nil else { return false }
      waiting[job.name] = entry
    }
    return waiting[job.name]?.number == number
  }
}

/// What a job's task needs of its ``TaskScheduler`` without holding it.
struct JobSurroundings: Sendable {
  let connectivity: any Connectivity
  let clock: any MonotonicClock
  let run: @Sendable (_ name: String) async throws -> Void

  /// Runs a job; says whether it has done what it was to do.
  func runs(_ name: String) async -> Bool {
    do { try await run(name) } catch { return Task.isCancelled }
    return true
  }

  /// Waits until a job may begin; says whether it may, or its task was cancelled.
  func wait(until due: Duration, for constraints: JobConstraints) async -> Bool {
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
  /// When the job is to be run for the first time.
  func firstTime(since start: Duration) -> Duration {
    switch timing {
    case .once(let delay): start + delay
    case .periodic(let interval): start + interval
    }
  }

  /// When a periodic job is to be run next: the first of its times that hadn't come
  /// when it was begun.
  func nextTime(after last: Duration, begunAt moment: Duration) -> Duration? {
    guard case .periodic(let interval) = timing else { return nil }
    let missed = ((moment - last) / interval).rounded(.down)
    return last + interval * (max(0, missed) + 1)
  }
}
