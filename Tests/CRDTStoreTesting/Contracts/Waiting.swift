import CRDTStore

/// Waits while others do things, as suites must that can't see inside adapters.
enum Waiting {
  /// Says whether something comes to hold, which it may take a while to.
  static func until(_ holds: @Sendable () async -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + ContractPatience.limit
    while clock.now < end {
      if await holds() { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return await holds()
  }

  /// Gives what must not happen a while in which it might.
  static func aWhile() async {
    try? await Task.sleep(for: .milliseconds(20))
  }

  /// What a body gives; `nil` where that takes too long.
  static func result<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await SystemMonotonicClock().limit(to: ContractPatience.limit, body)
  }
}

extension Waiting {
  /// What a body gives, also where the task that asks is cancelled; `nil` where it
  /// takes too long.
  static func settled<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await Task { await result(body) }.value
  }
}
