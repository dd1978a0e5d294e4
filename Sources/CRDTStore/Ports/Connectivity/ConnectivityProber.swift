/// Asks a probe for a ``ProbedConnectivity``.
final class ConnectivityProber: Sendable {
  let reporter = ConnectivityReporter(.offline)
  private let source: any Connectivity
  private let probe: any ConnectivityProbe
  private let timing: ConnectivityProbeTiming
  private let clock: any MonotonicClock
  /// Counts the states of the source, so that no answer to an earlier one is taken.
  private let epoch = Locked(0)

  init(
    _ source: any Connectivity, _ probe: any ConnectivityProbe, _ timing: ConnectivityProbeTiming,
    _ clock: any MonotonicClock
  ) {
    self.source = source
    self.probe = probe
    self.timing = timing
    self.clock = clock
  }

  /// Follows the source until the task is cancelled.
  func run() async {
    var following: Task<Void, Never>?
    for await state in source.states {
      following?.cancel()
      let epoch = epoch.withLock { epoch in
        epoch += 1
        return epoch
      }
      following = Task { await follow(state, epoch) }
    }
    following?.cancel()
  }

  /// Asks once, whatever the source says but that it is offline.
  func check() async -> ConnectivityState {
    let epoch = epoch.withLock { $0 }
    await ask(source.state, epoch)
    return reporter.state
  }

  private func follow(_ state: ConnectivityState, _ epoch: Int) async {
    var pause = timing.retryMin
    while !Task.isCancelled {
      await ask(state, epoch)
      // There is nothing to try before the source says something else.
      if state == .offline { return }
      let isReached = reporter.state.reachesServers
      if isReached { pause = timing.retryMin }
      do { try await clock.sleep(for: isReached ? timing.interval : pause) } catch { return }
      if !isReached { pause = min(pause * 2, timing.retryMax) }
    }
  }

  private func ask(_ state: ConnectivityState, _ epoch: Int) async {
    guard state != .offline else { return report(.offline, epoch) }
    let answer = await clock.limit(to: timing.timeout) { [probe] in await probe.probe() }
    if answer == nil, Task.isCancelled { return }
    switch answer ?? .unreachable {
    case .reached: report(state == .metered ? .metered : .online, epoch)
    case .intercepted: report(.captive, epoch)
    case .unreachable: report(.offline, epoch)
    }
  }

  private func report(_ state: ConnectivityState, _ epoch: Int) {
    self.epoch.withLock { current in
      if epoch == current { reporter.report(state) }
    }
  }
}
