import CRDTStore

/// Collects what a contract suite finds.
struct ContractReport {
  let port: String
  private(set) var violations: [ContractViolation] = []

  init(_ port: String) {
    self.port = port
  }

  /// Notes a violation unless a rule is kept.
  mutating func expect(
    _ isKept: Bool, _ rule: String, _ finding: @autoclosure () -> String = "it does not"
  ) {
    guard !isKept else { return }
    violations.append(ContractViolation(port: port, rule: rule, finding: finding()))
  }

  /// Notes a violation unless two values are equal.
  mutating func expect<Value: Equatable>(_ found: Value, is wanted: Value, _ rule: String) {
    expect(found == wanted, rule, "\(found) instead of \(wanted)")
  }

  /// Notes that a call failed that should not have.
  mutating func note(_ error: any Error, _ rule: String) {
    expect(false, rule, "the error \(error)")
  }
}

/// One way in which an adapter breaks the contract of its port.
///
/// A contract suite gives all that it found: none, if the adapter keeps the contract.
/// It says so as values, so that it can be run in any framework for tests.
public struct ContractViolation: Error, Hashable, Sendable {
  /// The name of the port.
  public let port: String
  /// What the contract asks for.
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

/// How long contract suites wait for what must happen.
///
///     let found = await ContractPatience.$limit.withValue(.seconds(60)) {
///       await PeerLinkContract.check(makeSlowLinks)
///     }
public enum ContractPatience {
  /// After how long something that hasn't happened counts as a violation.
  @TaskLocal public static var limit = Duration.seconds(5)
}

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
