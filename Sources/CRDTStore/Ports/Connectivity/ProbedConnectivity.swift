/// A connectivity that tries what another one says.
///
/// Where the source says that there is no network, that is believed. Where it says
/// that there is one, a probe finds out what it is worth: offline, captive, or as the
/// source says. It is asked when the source's state changes, again and again while
/// servers are not reached, now and then while they are, and by ``check()``. Until
/// the first answer the state is offline.
public final class ProbedConnectivity: Connectivity {
  private let prober: ConnectivityProber
  private let task: Task<Void, Never>

  /// Creates the connectivity, and begins to ask.
  public init(
    _ source: any Connectivity, probe: any ConnectivityProbe,
    timing: ConnectivityProbeTiming = ConnectivityProbeTiming(),
    clock: any MonotonicClock = SystemMonotonicClock()
  ) {
    let prober = ConnectivityProber(source, probe, timing, clock)
    self.prober = prober
    // It doesn't hold the connectivity, which ends it when it goes.
    task = Task { await prober.run() }
  }

  deinit {
    task.cancel()
  }

  /// What was found last.
  public var state: ConnectivityState { prober.reporter.state }

  /// What was found last, and what is found to be another.
  public var states: ConnectivityStates { prober.reporter.states }

  /// Tries now, as after a request that failed, and says what was found.
  public func check() async -> ConnectivityState {
    await prober.check()
  }
}

/// Tries whether servers are reached: by asking one for an answer that is known.
///
/// An adapter asks an address of the app's own for a fixed short answer, over a
/// connection of its own and past all caches. Contract:
/// - It says ``ConnectivityProbeAnswer/intercepted`` where an answer came, but not the known one, and
///   ``ConnectivityProbeAnswer/unreachable`` where none came.
/// - It may be asked on any task, returns soon when that is cancelled, and doesn't
///   fail in any other way.
public protocol ConnectivityProbe: Sendable {
  /// Asks once.
  func probe() async -> ConnectivityProbeAnswer
}

/// What a ``ConnectivityProbe`` found.
public enum ConnectivityProbeAnswer: Hashable, Sendable, CaseIterable {
  /// The known answer came.
  case reached
  /// Another answer came: somebody sits in between.
  case intercepted
  /// No answer came.
  case unreachable
}

/// When a ``ProbedConnectivity`` asks.
public struct ConnectivityProbeTiming: Hashable, Sendable {
  /// How long an answer is waited for.
  public var timeout: Duration = .seconds(5)
  /// How long after an answer that servers are reached it asks again.
  public var interval: Duration = .seconds(60)
  /// How long after the first answer that they are not it asks again; each time after
  /// that, twice as long.
  public var retryMin: Duration = .seconds(1)
  /// How long it waits at most before it asks again.
  public var retryMax: Duration = .seconds(60)

  /// Creates the times that are usual.
  public init() {}
}

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
