public import CRDTStore

/// The contract of `ConnectivityProbe`.
public enum ConnectivityProbeContract {
  /// Checks a probe in a situation of which the answer is known.
  ///
  /// - Returns: What it does that it must not: nothing, if it keeps the contract.
  public static func check(
    _ probe: any ConnectivityProbe, expecting answer: ConnectivityProbeAnswer
  ) async -> [ContractViolation] {
    var report = ContractReport("ConnectivityProbe")
    let found = await Waiting.result { await probe.probe() }
    report.expect(
      found == answer, "it answers \(answer)", found.map { "\($0)" } ?? "no answer")
    await checkCancellation(probe, &report)
    return report.violations
  }

  /// Checks that a probe to which nobody answers can be cancelled.
  ///
  /// - Returns: What it does that it must not: nothing, if it keeps the contract.
  public static func check(waiting probe: any ConnectivityProbe) async -> [ContractViolation] {
    var report = ContractReport("ConnectivityProbe")
    await checkCancellation(probe, &report)
    return report.violations
  }

  private static func checkCancellation(
    _ probe: any ConnectivityProbe, _ report: inout ContractReport
  ) async {
    let task = Task { await probe.probe() }
    await Waiting.aWhile()
    task.cancel()
    let ends = await Waiting.result { await task.value } != nil
    report.expect(ends, "it returns soon when its task is cancelled")
  }
}
