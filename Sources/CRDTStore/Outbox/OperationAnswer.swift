public import CRDTKit

extension Outbox {
  /// A server's answer to one operation.
  public struct Answer: Hashable, Sendable {
    /// The operation.
    public var id: Outbox.OperationID
    /// The outcome.
    public var outcome: Outbox.Outcome

    /// Creates an answer.
    public init(_ id: Outbox.OperationID, _ outcome: Outbox.Outcome) {
      self.id = id
      self.outcome = outcome
    }
  }
}

/// The JSON form is an object of `schemaVersion`, `operationId`, `outcome` and the members
/// of that outcome: `accepted` and `serverVersion`; `rejected`, `message` and `issues`;
/// `conflict` and `server`; `retry`, `retryAfterMillis` and `message`.
extension Outbox.Answer: Codable {
  private enum CodingKeys: String, CodingKey {
    case schemaVersion, operationId, outcome, serverVersion, message, issues, server
    case retryAfterMillis
  }

  private enum Name: String, Codable {
    case accepted, rejected, conflict, retry
  }

  /// Encodes the operation, the outcome's name and its members.
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

  /// Decodes an answer and rejects a newer version.
  ///
  /// A missing message or list of issues is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The answer")
    id = try container.decode(Outbox.OperationID.self, forKey: .operationId)
    let message = try container.decodeIfPresent(String.self, forKey: .message) ?? ""
    switch try container.decode(Name.self, forKey: .outcome) {
    case .accepted:
      outcome = .accepted(
        serverVersion: try container.decodeIfPresent(String.self, forKey: .serverVersion))
    case .rejected:
      outcome = .rejected(
        message: message,
        issues: try container.decodeIfPresent([Outbox.FieldIssue].self, forKey: .issues) ?? [])
    case .conflict:
      outcome = .conflict(server: try container.decode(Outbox.ServerRecord.self, forKey: .server))
    case .retry:
      let hint = try container.decodeIfPresent(UInt64.self, forKey: .retryAfterMillis)
      outcome = .retry(after: hint.map { .milliseconds($0) }, message: message)
    }
  }
}

extension Outbox {
  /// The outcome of one operation at a server.
  @nonexhaustive
  public enum Outcome: Hashable, Sendable {
    /// The server applied it, now or when it was received before. The record has this version
    /// now.
    case accepted(serverVersion: String?)
    /// The server refuses it, now and later.
    case rejected(message: String, issues: [Outbox.FieldIssue])
    /// The server did not apply it, because its record has changed; this is the record.
    case conflict(server: Outbox.ServerRecord)
    /// The server did not apply it, but may later: after this time, if the server gave one.
    case retry(after: Duration?, message: String = "")
  }

  /// Why an operation became a dead letter, which is not sent again until you retry it.
  public struct Failure: Codable, Hashable, Sendable {
    /// What kind of failure it is.
    public enum Cause: String, Codable, Hashable, Sendable, CaseIterable {
      /// The server refused the operation, and would again.
      case rejected
      /// The server postponed the operation as often as the settings allow, and may have
      /// applied it at an earlier attempt whose answer was lost.
      case attemptsExhausted
      /// The server failed at the operation as often as the settings allow, and may have
      /// applied it.
      case serverFailed
      /// The operation can't be encoded for the server.
      case corruptLocalState
    }

    /// What kind of failure it is.
    public var cause: Cause
    /// The server's message for the user.
    public var message: String
    /// The server's objections to single fields.
    public var issues: [Outbox.FieldIssue]

    /// Creates a failure.
    public init(_ cause: Cause, message: String, issues: [Outbox.FieldIssue] = []) {
      self.cause = cause
      self.message = message
      self.issues = issues
    }
  }
}

extension Outbox.Failure: CustomStringConvertible {
  /// The cause, the server's message, and its objections to fields.
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

extension Outbox.Failure: CanonicalCodable {
  /// Writes the cause as text, the message and the issues.
  public func encode(to writer: inout ByteWriter) {
    cause.rawValue.encode(to: &writer)
    message.encode(to: &writer)
    writer.write(varint: UInt64(issues.count))
    for issue in issues {
      issue.path.names.encode(to: &writer)
      issue.message.encode(to: &writer)
    }
  }

  /// Reads a failure.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let cause = Cause(rawValue: try String(from: &reader)) else {
      throw DecodingFailure(.invalidValue("the cause of a failure"), at: start)
    }
    self.init(cause, message: try String(from: &reader))
    for _ in 0..<(try reader.readCount(of: "issues")) {
      let path = FieldPath(try [String](from: &reader))
      issues.append(Outbox.FieldIssue(path, try String(from: &reader)))
    }
  }
}
