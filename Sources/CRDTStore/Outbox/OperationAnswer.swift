/// What a remote answered about one operation, and which one that is.
public struct OperationAnswer: Hashable, Sendable {
  /// The operation.
  public var id: OperationID
  /// What was answered.
  public var outcome: OperationOutcome

  /// Creates an answer.
  public init(_ id: OperationID, _ outcome: OperationOutcome) {
    self.id = id
    self.outcome = outcome
  }
}

/// As JSON, an object of `schemaVersion`, `operationId`, `outcome` and what that outcome
/// has: `accepted` and `serverVersion`; `rejected`, `message` and `issues`; `conflict` and
/// `server`; `retry`, `retryAfterMillis` and `message`.
extension OperationAnswer: Codable {
  private enum CodingKeys: String, CodingKey {
    case schemaVersion, operationId, outcome, serverVersion, message, issues, server
    case retryAfterMillis
  }

  private enum Name: String, Codable {
    case accepted, rejected, conflict, retry
  }

  /// Encodes the operation, the outcome's name and what it has.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ServerFormatVersion.current, forKey: .schemaVersion)
    try container.encode(id, forKey: .operationId)
    switch outcome {
    case .accepted(let version):
      try container.encode(Name.accepted, forKey: .outcome)
      try container.encodeIfPresent(version, forKey: .serverVersion)
    case .rejected(let message, let issues):
      try container.encode(Name.rejected, forKey: .outcome)
      try container.encode(message, forKey: .message)
      try container.encode(issues, forKey: .issues)
    case .conflict(let server):
      try container.encode(Name.conflict, forKey: .outcome)
      try container.encode(server, forKey: .server)
    case .retry(let delay, let message):
      try container.encode(Name.retry, forKey: .outcome)
      try container.encodeIfPresent(delay?.clampedMilliseconds, forKey: .retryAfterMillis)
      try container.encode(message, forKey: .message)
    }
  }

  /// Decodes an answer, refusing one of a newer version; a message or issues that are not there are empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The answer")
    id = try container.decode(OperationID.self, forKey: .operationId)
    let message = try container.decodeIfPresent(String.self, forKey: .message) ?? ""
    switch try container.decode(Name.self, forKey: .outcome) {
    case .accepted:
      outcome = .accepted(
        serverVersion: try container.decodeIfPresent(String.self, forKey: .serverVersion))
    case .rejected:
      outcome = .rejected(
        message: message,
        issues: try container.decodeIfPresent([FieldIssue].self, forKey: .issues) ?? [])
    case .conflict:
      outcome = .conflict(server: try container.decode(ServerRecord.self, forKey: .server))
    case .retry:
      let hint = try container.decodeIfPresent(UInt64.self, forKey: .retryAfterMillis)
      outcome = .retry(after: hint.map { .milliseconds($0) }, message: message)
    }
  }
}
