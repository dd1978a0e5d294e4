import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// Values that several threads add to.
final class Recorded<Value: Sendable>: Sendable {
  private let recorded = Guarded<[Value]>([])

  func append(_ value: Value) {
    recorded.withLock { $0.append(value) }
  }

  var values: [Value] { recorded.withLock { $0 } }
}

/// Says whether something comes to hold within a few seconds.
func eventually(_ holds: @Sendable () async -> Bool) async -> Bool {
  for _ in 0..<5_000 {
    if await holds() { return true }
    try? await Task.sleep(for: .milliseconds(1))
  }
  return false
}

/// What a suite finds that needn't be patient, for what it is to check is broken.
func impatiently(
  _ check: () async -> [ContractViolation]
) async -> [ContractViolation] {
  await ContractPatience.$limit.withValue(.milliseconds(100)) { await check() }
}
