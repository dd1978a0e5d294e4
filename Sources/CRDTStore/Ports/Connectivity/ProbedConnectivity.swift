/// A connectivity that verifies another one with a probe.
///
/// If the source reports no network, the state is offline. If it reports one, a probe
/// decides whether the state is offline, captive, or as the source says. The probe runs
/// when the source's state changes, repeatedly while servers are not reached, occasionally
/// while they are, and on ``check()``. Until the first answer the state is offline.
public final class ProbedConnectivity: Connectivity {
  private let prober: ConnectivityProber
  private let task: Task<Void, Never>

  /// Creates the connectivity, and starts to probe.
  public init(
    _ source: any Connectivity, probe: any ProbedConnectivity.Probe,
    timing: ProbedConnectivity.Timing = ProbedConnectivity.Timing(),
    clock: any MonotonicClock = SystemMonotonicClock()
  ) {
    let prober = ConnectivityProber(source, probe, timing, clock)
    self.prober = prober
    // The task doesn't retain the connectivity, which cancels it in its deinitializer.
    task = Task { await prober.run() }
  }

  deinit {
    task.cancel()
  }

  /// The latest state.
  public var state: ConnectivityState { prober.reporter.state }

  /// The current state, and each new one.
  public var states: ConnectivityStates { prober.reporter.states }

  /// Probes now, for example after a failed request, and returns the state.
  public func check() async -> ConnectivityState {
    await prober.check()
  }
}

extension ProbedConnectivity {
  /// Checks whether servers are reached, by a request with a known answer.
  ///
  /// An adapter requests a fixed short answer from a server of the app, over a new connection
  /// and without caches. Contract:
  /// - It returns ``ProbedConnectivity/Answer/intercepted`` for an answer other than the known
  ///   one, and ``ProbedConnectivity/Answer/unreachable`` for no answer.
  /// - You can call it from any task. It returns soon if the task is cancelled, and doesn't
  ///   fail in any other way.
  public protocol Probe: Sendable {
    /// Probes once.
    func probe() async -> ProbedConnectivity.Answer
  }

  /// The result of a ``ProbedConnectivity/Probe``.
  public enum Answer: Hashable, Sendable, CaseIterable {
    /// The known answer was received.
    case reached
    /// Another answer was received: something intercepts requests.
    case intercepted
    /// No answer was received.
    case unreachable
  }

  /// When a ``ProbedConnectivity`` probes.
  public struct Timing: Hashable, Sendable {
    /// How long a probe waits for an answer.
    public var timeout: Duration = .seconds(5)
    /// The delay after a probe that reached servers.
    public var interval: Duration = .seconds(60)
    /// The delay after the first probe that did not reach servers.
    ///
    /// It doubles after each further one.
    public var minimumRetryInterval: Duration = .seconds(1)
    /// The longest delay before the next probe.
    public var maximumRetryInterval: Duration = .seconds(60)

    /// Creates the default timing.
    public init() {}
  }
}

/// Runs the probe of a ``ProbedConnectivity``.
final class ConnectivityProber: Sendable {
  let reporter = ConnectivityReporter(.offline)
  private let source: any Connectivity
  private let probe: any ProbedConnectivity.Probe
  private let timing: ProbedConnectivity.Timing
  private let clock: any MonotonicClock
  /// The number of the source's state, so that answers to an earlier state are dropped.
  private let epoch = Locked(0)

  init(
    _ source: any Connectivity, _ probe: any ProbedConnectivity.Probe,
    _ timing: ProbedConnectivity.Timing,
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

  /// Probes once, unless the source is offline.
  func check() async -> ConnectivityState {
    let epoch = epoch.withLock { $0 }
    await ask(source.state, epoch)
    return reporter.state
  }

  private func follow(_ state: ConnectivityState, _ epoch: Int) async {
    var pause = timing.minimumRetryInterval
    while !Task.isCancelled {
      await ask(state, epoch)
      // Nothing needs a probe until the source reports another state.
      if state == .offline { return }
      let isReached = reporter.state.reachesServers
      if isReached { pause = timing.minimumRetryInterval }
      do { try await clock.sleep(for: isReached ? timing.interval : pause) } catch { return }
      if !isReached { pause = min(pause * 2, timing.maximumRetryInterval) }
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
