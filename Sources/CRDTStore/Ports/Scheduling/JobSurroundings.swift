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
