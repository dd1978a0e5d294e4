import CRDTStore

/// Waits while others do things, as suites must that can't see inside adapters.
enum Waiting {
  /// Says whether something comes to hold, which it may take a while to.
  ///
  /// Looking is counted as well as timed: where other tasks take up all threads, those
  /// that are waited for get no further than this one.
  static func until(_ holds: @Sendable () async -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let limit = ContractPatience.limit
    let end = clock.now + limit
    let looksMin = Int(limit / .milliseconds(5))
    var looks = 0
    while clock.now < end || looks < looksMin {
      if await holds() { return true }
      if Task.isCancelled { break }
      try? await Task.sleep(for: .milliseconds(1))
      looks += 1
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
    let found = Locked<[Value]>([])
    let task = Task {
      let value = await body()
      found.withLock { $0.append(value) }
    }
    _ = await until { found.withLock { !$0.isEmpty } }
    task.cancel()
    return found.withLock { $0.first }
  }

  /// What a body gives, also where the task that asks is cancelled; `nil` where it
  /// takes too long.
  static func settled<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await Task { await result(body) }.value
  }
}
