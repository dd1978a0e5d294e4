public import CRDTStore

/// The contract of `Connectivity`.
public enum ConnectivityContract {
  /// Checks a connectivity that a test can change.
  ///
  /// - Parameters:
  ///   - connectivity: The connectivity to check.
  ///   - change: Changes its state, for example by a report of its system. The change
  ///     may be delayed.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ connectivity: any Connectivity,
    change: @escaping @Sendable (ConnectivityState) async -> Void
  ) async -> [ContractViolation] {
    var report = ContractReport("Connectivity")
    await checkChanges(connectivity, change, &report)
    await checkRepetition(connectivity, change, &report)
    await checkSlowness(connectivity, change, &report)
    await checkCancellation(connectivity, change, &report)
    return report.violations
  }

  /// Checks a connectivity that never changes, such as `AlwaysOnline`.
  public static func check(unchanging connectivity: any Connectivity) async -> [ContractViolation] {
    var report = ContractReport("Connectivity")
    let listener = Listener(connectivity)
    _ = await Waiting.until { !listener.states.isEmpty }
    await Waiting.aWhile()
    report.expect(
      listener.states, is: [connectivity.state], "a loop gives the present state, and no other")
    await listener.expectEnd(&report)
    return report.violations
  }

  /// Checks that each of several loops receives every change, and that `state` agrees.
  private static func checkChanges(
    _ connectivity: any Connectivity, _ change: (ConnectivityState) async -> Void,
    _ report: inout ContractReport
  ) async {
    await change(.offline)
    let isOffline = await Waiting.until { connectivity.state == .offline }
    report.expect(isOffline, "`state` comes to be what was reported")
    guard isOffline else { return }
    let listeners = [Listener(connectivity), Listener(connectivity)]
    for listener in listeners {
      let begins = await Waiting.until { listener.states == [.offline] }
      report.expect(begins, "a loop gives the present state first", "\(listener.states)")
    }
    var expected: [ConnectivityState] = [.offline]
    for state in [ConnectivityState.online, .metered, .captive, .offline, .metered] {
      await change(state)
      expected.append(state)
      let wanted = expected
      for listener in listeners {
        let comes = await Waiting.until { listener.states.last == state }
        report.expect(comes, "every loop gives each new state", "\(listener.states)")
        guard comes else { return }
        report.expect(listener.states, is: wanted, "a loop gives the states in their order")
      }
      report.expect(connectivity.state, is: state, "`state` is the newest state")
    }
    for listener in listeners { await listener.expectEnd(&report) }
  }

  private static func checkRepetition(
    _ connectivity: any Connectivity, _ change: (ConnectivityState) async -> Void,
    _ report: inout ContractReport
  ) async {
    await change(.online)
    _ = await Waiting.until { connectivity.state == .online }
    let listener = Listener(connectivity)
    _ = await Waiting.until { !listener.states.isEmpty }
    for state in [ConnectivityState.online, .online, .offline, .offline] {
      await change(state)
      await Waiting.aWhile()
    }
    let last = await Waiting.until { listener.states.last == .offline }
    report.expect(last, "a loop gives each new state", "\(listener.states)")
    report.expect(
      zip(listener.states, listener.states.dropFirst()).allSatisfy { $0 != $1 },
      "no state comes twice in a row", "\(listener.states)")
    await listener.expectEnd(&report)
  }

  /// Checks that a slow reader receives the newest state, and no backlog of old ones.
  private static func checkSlowness(
    _ connectivity: any Connectivity, _ change: (ConnectivityState) async -> Void,
    _ report: inout ContractReport
  ) async {
    await change(.offline)
    _ = await Waiting.until { connectivity.state == .offline }
    let gate = Gate()
    let listener = Listener(connectivity, pausingAt: gate)
    _ = await Waiting.until { gate.waitingCount == 1 }
    changing: for _ in 0..<20 {
      for state in [ConnectivityState.online, .metered] {
        await change(state)
        guard await Waiting.until({ connectivity.state == state }) else {
          report.expect(false, "`state` comes to be what was reported")
          break changing
        }
      }
    }
    gate.open()
    let last = await Waiting.until { listener.states.last == .metered }
    report.expect(last, "who is slow doesn't miss the newest state", "\(listener.states)")
    report.expect(
      listener.states.count <= 10, "states don't pile up for who is slow",
      "\(listener.states.count) states after 40 changes")
    await listener.expectEnd(&report)
  }

  private static func checkCancellation(
    _ connectivity: any Connectivity, _ change: (ConnectivityState) async -> Void,
    _ report: inout ContractReport
  ) async {
    await change(.offline)
    _ = await Waiting.until { connectivity.state == .offline }
    let staying = Listener(connectivity)
    let leaving = Listener(connectivity)
    _ = await Waiting.until { !staying.states.isEmpty && !leaving.states.isEmpty }
    await leaving.expectEnd(&report)
    await change(.online)
    let goesOn = await Waiting.until { staying.states.last == .online }
    report.expect(goesOn, "a loop goes on when another one ends", "\(staying.states)")
    await staying.expectEnd(&report)
  }

  /// A loop over the states, in a task.
  private final class Listener: Sendable {
    private let heard: Locked<[ConnectivityState]>
    private let task: Task<Void, Never>

    init(_ connectivity: any Connectivity, pausingAt gate: Gate? = nil) {
      let heard = Locked<[ConnectivityState]>([])
      self.heard = heard
      task = Task {
        for await state in connectivity.states {
          heard.withLock { $0.append(state) }
          await gate?.wait()
        }
      }
    }

    var states: [ConnectivityState] { heard.withLock { $0 } }

    /// Cancels the loop, and expects it to end.
    func expectEnd(_ report: inout ContractReport) async {
      task.cancel()
      let ends = await Waiting.result { [task] in await task.value } != nil
      report.expect(ends, "a loop ends when its task is cancelled")
    }
  }
}

/// The contract of `ProbedConnectivity.Probe`.
public enum ConnectivityProbeContract {
  /// Checks a probe in a situation with a known answer.
  ///
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ probe: any ProbedConnectivity.Probe, expecting answer: ProbedConnectivity.Answer
  ) async -> [ContractViolation] {
    var report = ContractReport("ProbedConnectivity.Probe")
    let found = await Waiting.result { await probe.probe() }
    report.expect(
      found == answer, "it answers \(answer)", found.map { "\($0)" } ?? "no answer")
    await checkCancellation(probe, &report)
    return report.violations
  }

  /// Checks that a probe without an answer can be cancelled.
  ///
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(waiting probe: any ProbedConnectivity.Probe) async -> [ContractViolation]
  {
    var report = ContractReport("ProbedConnectivity.Probe")
    await checkCancellation(probe, &report)
    return report.violations
  }

  private static func checkCancellation(
    _ probe: any ProbedConnectivity.Probe, _ report: inout ContractReport
  ) async {
    let task = Task { await probe.probe() }
    await Waiting.aWhile()
    task.cancel()
    let ends = await Waiting.result { await task.value } != nil
    report.expect(ends, "it returns soon when its task is cancelled")
  }
}
