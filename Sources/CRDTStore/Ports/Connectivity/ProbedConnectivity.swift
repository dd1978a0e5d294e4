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
