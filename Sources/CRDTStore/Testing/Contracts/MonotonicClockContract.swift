public import CRDTStore

/// The contract of `MonotonicClock`.
public enum MonotonicClockContract {
  /// Checks a clock.
  ///
  /// - Parameters:
  ///   - clock: The clock to check.
  ///   - pass: Lets time pass: advances the clock, or waits.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ clock: any MonotonicClock, pass: @escaping @Sendable (Duration) async -> Void
  ) async -> [ContractViolation] {
    var report = ContractReport("MonotonicClock")
    let readings = (0..<1_000).map { _ in clock.elapsed }
    report.expect(
      zip(readings, readings.dropFirst()).allSatisfy { $0 <= $1 }, "`elapsed` never goes back")
    let start = clock.elapsed
    await pass(.milliseconds(20))
    report.expect(
      clock.elapsed >= start + .milliseconds(20), "`elapsed` goes on as time passes",
      "\(clock.elapsed - start) after 20 milliseconds")
    await checkSleeping(clock, pass, &report)
    await checkCancellation(clock, &report)
    return report.violations
  }

  private static func checkSleeping(
    _ clock: any MonotonicClock, _ pass: @Sendable (Duration) async -> Void,
    _ report: inout ContractReport
  ) async {
    let past = await outcome { () throws(CancellationError) in
      try await clock.sleep(until: clock.elapsed - .seconds(1))
    }
    report.expect(past == true, "to sleep until a moment that is past returns at once")
    let moment = clock.elapsed + .milliseconds(200)
    let woken = Locked<Duration?>(nil)
    let sleeper = Task {
      try? await clock.sleep(until: moment)
      woken.withLock { $0 = clock.elapsed }
    }
    await pass(.milliseconds(20))
    await Waiting.aWhile()
    await pass(.milliseconds(190))
    let isWoken = await Waiting.until { woken.withLock { $0 } != nil }
    report.expect(isWoken, "a sleeper is woken when its moment has come")
    if let found = woken.withLock({ $0 }) {
      report.expect(found >= moment, "a sleeper isn't woken early", "\(moment - found) early")
    }
    sleeper.cancel()
  }

  private static func checkCancellation(
    _ clock: any MonotonicClock, _ report: inout ContractReport
  ) async {
    let moment = clock.elapsed + .seconds(3_600)
    let task = Task { () -> Bool in
      do {
        try await clock.sleep(until: moment)
        return false
      } catch {
        return true
      }
    }
    await Waiting.aWhile()
    task.cancel()
    let throwsError = await Waiting.result { await task.value }
    report.expect(throwsError == true, "a sleeper that is cancelled throws, soon")
  }

  /// Whether a body returns; `false` if it throws, `nil` if it takes too long.
  private static func outcome(
    _ body: @escaping @Sendable () async throws(CancellationError) -> Void
  ) async -> Bool? {
    await Waiting.result {
      do {
        try await body()
        return true
      } catch {
        return false
      }
    }
  }
}
