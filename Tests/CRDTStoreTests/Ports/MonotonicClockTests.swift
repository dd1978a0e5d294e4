import CRDTStore
import CRDTStoreTesting
import Testing

@Suite("Monotonic clocks")
struct MonotonicClockTests {
  @Test("The machine's clock keeps the contract")
  func machine() async {
    let found = await MonotonicClockContract.check(SystemMonotonicClock()) { span in
      try? await Task.sleep(for: span)
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("The clock of tests keeps the contract")
  func manual() async {
    let clock = ManualClock()
    let found = await MonotonicClockContract.check(clock) { clock.advance(by: $0) }
    #expect(found.isEmpty, "\(found)")
    #expect(clock.sleeperCount == 0)
    #expect(clock.milliseconds == 1_700_000_000_230)
  }

  @Test("Clocks that break the contract are found out")
  func broken() async {
    for flaw in BrokenClock.Flaw.allCases {
      let clock = BrokenClock(flaw)
      let found = await impatiently {
        await MonotonicClockContract.check(clock) { clock.clock.advance(by: $0) }
      }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }

  @Test("A limit gives what came in time, nothing for what came late or was cancelled")
  func limit() async {
    let clock = ManualClock()
    #expect(await clock.limit(to: .seconds(1)) { 7 } == 7)
    let late = Task { await clock.limit(to: .seconds(1)) { await Gate().wait() } }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await late.value == nil)
    let cancelled = Task { await clock.limit(to: .seconds(1)) { await Gate().wait() } }
    await clock.waitForSleepers(1)
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    #expect(await eventually { clock.sleeperCount == 0 })
  }
}

/// A clock with a flaw.
private final class BrokenClock: MonotonicClock {
  enum Flaw: CaseIterable {
    case stands, goesBack, wakesEarly, ignoresCancelling, refusesPast
  }

  let clock = ManualClock()
  private let flaw: Flaw
  private let readings = Recorded<Void>()

  init(_ flaw: Flaw) {
    self.flaw = flaw
  }

  var elapsed: Duration {
    switch flaw {
    case .stands: return .zero
    case .goesBack:
      readings.append(())
      return clock.elapsed - .milliseconds(readings.values.count)
    default: return clock.elapsed
    }
  }

  func sleep(until moment: Duration) async throws(CancellationError) {
    switch flaw {
    case .wakesEarly: try await clock.sleep(until: moment - .milliseconds(195))
    case .ignoresCancelling: _ = try? await clock.sleep(until: moment)
    case .refusesPast where moment < elapsed: throw CancellationError()
    default: try await clock.sleep(until: moment)
    }
  }
}
