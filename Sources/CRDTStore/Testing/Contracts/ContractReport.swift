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
