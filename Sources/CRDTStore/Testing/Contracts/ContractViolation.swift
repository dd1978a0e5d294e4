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
