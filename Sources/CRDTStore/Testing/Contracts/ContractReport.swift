import CRDTStore

/// Collects what a contract suite finds.
struct ContractReport {
  let port: String
  private(set) var violations: [ContractViolation] = []

  init(_ port: String) {
    self.port = port
  }

  /// Records a violation unless a rule holds.
  mutating func expect(
    _ isKept: Bool, _ rule: String, _ finding: @autoclosure () -> String = "it does not"
  ) {
    guard !isKept else { return }
    violations.append(ContractViolation(port: port, rule: rule, finding: finding()))
  }

  /// Records a violation unless two values are equal.
  mutating func expect<Value: Equatable>(_ found: Value, is wanted: Value, _ rule: String) {
    expect(found == wanted, rule, "\(found) instead of \(wanted)")
  }

  /// Records that a call failed unexpectedly.
  mutating func note(_ error: any Error, _ rule: String) {
    expect(false, rule, "the error \(error)")
  }
}

/// A violation of a port's contract by an adapter.
///
/// A contract suite returns all violations that it found, so that you can run it in any
/// test framework.
public struct ContractViolation: Error, Hashable, Sendable {
  /// The name of the port.
  public let port: String
  /// The rule of the contract.
  public let rule: String
  /// What was found instead.
  public let finding: String

  /// Creates a violation.
  public init(port: String, rule: String, finding: String) {
    self.port = port
    self.rule = rule
    self.finding = finding
  }
}

extension ContractViolation: CustomStringConvertible {
  /// The port, what its contract asks for, and what was found.
  public var description: String { "\(port): \(rule); found: \(finding)" }
}

/// How long contract suites wait for expected events.
///
///     let found = await ContractPatience.$limit.withValue(.seconds(60)) {
///       await PeerLinkContract.check(makeSlowLinks)
///     }
public enum ContractPatience {
  /// The time after which a missing event counts as a violation.
  @TaskLocal public static var limit = Duration.seconds(5)
}

/// Waits for concurrent work, which suites need because they can't see inside adapters.
enum Waiting {
  /// Waits until a condition holds, and returns whether it does.
  ///
  /// The limit counts checks as well as time: if other tasks occupy all threads, the
  /// awaited tasks make no more progress than this one.
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

  /// Waits for a while in which a forbidden event could happen.
  static func aWhile() async {
    try? await Task.sleep(for: .milliseconds(20))
  }

  /// Returns the result of a body; `nil` if it takes too long.
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

  /// Returns the result of a body, even if the calling task is cancelled; `nil` if it takes
  /// too long.
  static func settled<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await Task { await result(body) }.value
  }
}
