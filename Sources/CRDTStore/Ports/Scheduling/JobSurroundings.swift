/// What a job's task needs of its ``TaskScheduler`` without holding it.
struct JobSurroundings: Sendable {
  let connectivity: any Connectivity
  let clock: any MonotonicClock
  let run: @Sendable (_ name: String) async -> Void

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
  /// When the job is to be run next, given when it was, or was scheduled.
  ///
  /// Times of a periodic job that were missed are not made up for.
  func next(after last: Duration, now: Duration) -> Duration? {
    switch timing {
    case .once(let delay): last + delay
    case .periodic(let interval):
      max(last + interval, last + interval * (((now - last) / interval).rounded(.down) + 1))
    }
  }
}
