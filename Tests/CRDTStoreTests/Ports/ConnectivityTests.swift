import CRDTStore
import CRDTStoreTesting
import Testing

@Suite("Connectivity")
struct ConnectivityTests {
  @Test("A reporter keeps the contract")
  func reporter() async {
    let reporter = ConnectivityReporter(.online)
    let found = await ConnectivityContract.check(reporter) { reporter.report($0) }
    #expect(found.isEmpty, "\(found)")
    #expect(reporter.listenerCount == 0)
  }

  @Test("One that is always online keeps the contract")
  func alwaysOnline() async {
    let found = await ConnectivityContract.check(unchanging: AlwaysOnline())
    #expect(found.isEmpty, "\(found)")
  }

  @Test("One that tries what another says keeps the contract")
  func probed() async {
    let source = ConnectivityReporter(.offline)
    let (probe, clock) = (FakeProbe(), ManualClock())
    let probed = ProbedConnectivity(source, probe: probe, clock: clock)
    let found = await ConnectivityContract.check(probed) { state in
      probe.answer = state == .captive ? .intercepted : .reached
      source.report(state == .captive ? .online : state)
      // Where the source says nothing new, only asking shows it.
      if state == .captive { _ = await probed.check() }
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("Connectivities that break the contract are found out")
  func broken() async {
    for flaw in BrokenConnectivity.Flaw.allCases {
      let connectivity = BrokenConnectivity(flaw)
      let found = await impatiently {
        await ConnectivityContract.check(connectivity) { connectivity.report($0) }
      }
      #expect(!found.isEmpty, "\(flaw)")
    }
    let silent = BrokenConnectivity(.startsEmpty)
    let found = await impatiently { await ConnectivityContract.check(unchanging: silent) }
    #expect(!found.isEmpty)
  }

  @Test("A source's hope is tried: captive, unreachable, metered, and what never answers")
  func normalising() async {
    let source = ConnectivityReporter(.metered)
    let (probe, clock) = (FakeProbe(.intercepted), ManualClock())
    let probed = ProbedConnectivity(source, probe: probe, clock: clock)
    #expect(await comes(probed, to: .captive))
    probe.answer = .reached
    // It asks again after a second, then after two, and then once a minute.
    #expect(await wake(clock, after: .seconds(1)))
    #expect(await comes(probed, to: .metered))
    probe.answer = .unreachable
    #expect(await wake(clock, after: .seconds(60)))
    #expect(await comes(probed, to: .offline))
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
      let count = probe.count
      #expect(await wake(clock, after: .seconds(seconds)), "\(seconds)")
      #expect(await eventually { probe.count == count + 1 })
    }
    source.report(.captive)
    probe.answer = .reached
    source.report(.online)
    #expect(await comes(probed, to: .online))
    source.report(.offline)
    #expect(await comes(probed, to: .offline))
    // One that doesn't answer is given five seconds.
    probe.answer = nil
    let count = probe.count
    source.report(.online)
    #expect(await eventually { probe.count == count + 1 && clock.sleeperCount == 1 })
    #expect(probed.state == .offline)
    clock.advance(by: .seconds(5))
    #expect(await eventually { clock.nextWaking == clock.elapsed + .seconds(1) })
    probe.answer = .reached
    #expect(await probed.check() == .online)
  }

  @Test("Probing ends with the connectivity")
  func ends() async {
    let (source, probe, clock) = (ConnectivityReporter(.online), FakeProbe(), ManualClock())
    do {
      let probed = ProbedConnectivity(source, probe: probe, clock: clock)
      #expect(await comes(probed, to: .online))
    }
    #expect(await eventually { source.listenerCount == 0 && clock.sleeperCount == 0 })
  }

  @Test("Probes keep the contract, and broken ones are found out")
  func probes() async {
    for answer in ProbedConnectivity.Answer.allCases {
      let found = await ConnectivityProbeContract.check(FakeProbe(answer), expecting: answer)
      #expect(found.isEmpty, "\(found)")
    }
    #expect(await ConnectivityProbeContract.check(waiting: FakeProbe(nil)).isEmpty)
    let wrong = await ConnectivityProbeContract.check(FakeProbe(.reached), expecting: .intercepted)
    #expect(wrong.count == 1)
  }

  private func comes(_ connectivity: any Connectivity, to state: ConnectivityState) async -> Bool {
    await eventually { connectivity.state == state }
  }

  /// Wakes what sleeps for a span, which must be what is slept for.
  private func wake(_ clock: ManualClock, after span: Duration) async -> Bool {
    let moment = clock.elapsed + span
    guard await eventually({ clock.sleeperCount == 1 && clock.nextWaking == moment }) else {
      return false
    }
    clock.advance(by: span)
    return true
  }
}

/// A connectivity with a flaw.
private final class BrokenConnectivity: Connectivity {
  enum Flaw: CaseIterable {
    case startsEmpty, stateStands, dropsNewest, pilesUp, startsOnline, endsOthers
  }

  private let flaw: Flaw
  private let reporter = ConnectivityReporter(.offline)
  private let continuations = Recorded<AsyncStream<ConnectivityState>.Continuation>()

  init(_ flaw: Flaw) {
    self.flaw = flaw
  }

  func report(_ state: ConnectivityState) {
    reporter.report(state)
    for continuation in continuations.values { continuation.yield(state) }
  }

  var state: ConnectivityState { flaw == .stateStands ? .offline : reporter.state }

  var states: ConnectivityStates {
    if flaw == .stateStands { return reporter.states }
    return ConnectivityStates { [flaw, reporter, continuations] in
      let policy: AsyncStream<ConnectivityState>.Continuation.BufferingPolicy =
        switch flaw {
        case .dropsNewest: .bufferingOldest(1)
        case .pilesUp: .unbounded
        default: .bufferingNewest(1)
        }
      let (stream, continuation) = AsyncStream.makeStream(
        of: ConnectivityState.self, bufferingPolicy: policy)
      let first = flaw == .startsOnline ? .online : reporter.state
      if flaw != .startsEmpty { continuation.yield(first) }
      continuations.append(continuation)
      if flaw == .endsOthers {
        continuation.onTermination = { _ in
          for other in continuations.values { other.finish() }
        }
      }
      return stream
    }
  }
}
