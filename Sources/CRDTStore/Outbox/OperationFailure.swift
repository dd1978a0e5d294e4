import CRDTKit

/// Why an operation is not sent any more until someone asks for it.
public struct OperationFailure: Codable, Hashable, Sendable {
  /// What kind of failure it is.
  public enum Cause: String, Codable, Hashable, Sendable, CaseIterable {
    /// The server refused the operation, and would again.
    case rejected
    /// The server answered as often as is allowed that it can't do it now.
    case attemptsExhausted
    /// The server failed over the operation as often as is allowed, and may have done it.
    case serverFailed
    /// The operation can't be made into what the server understands.
    case corruptLocalState
  }

  /// What kind of failure it is.
  public var cause: Cause
  /// What the server said, in words for the user.
  public var message: String
  /// What the server has against single fields.
  public var issues: [FieldIssue]

  /// Creates a failure.
  public init(_ cause: Cause, message: String, issues: [FieldIssue] = []) {
    self.cause = cause
    self.message = message
    self.issues = issues
  }
}

extension OperationFailure: CustomStringConvertible {
  /// What went wrong, in what the server said, and what it has against which fields.
  public var description: String {
    let what =
      switch cause {
      case .rejected: "the server refused it"
      case .attemptsExhausted: "the server could not do it, however often it was asked"
      case .serverFailed: "the server failed over it, however often it was asked"
      case .corruptLocalState: "it can't be told to the server"
      }
    let reason = message.isEmpty ? what : "\(what): \(message.visible)"
    let details = issues.map { "\($0.path.description.visible): \($0.message.visible)" }
    return ([reason] + details).joined(separator: "; ")
  }
}
