/// What a remote answered about one operation.
public enum OperationOutcome: Hashable, Sendable {
  /// It was done, now or when it came before; the record has the version now.
  case accepted(serverVersion: String?)
  /// It won't be done, now or later.
  case rejected(message: String, issues: [FieldIssue])
  /// It was not done, since the record has changed at the remote; this is it.
  case conflict(server: ServerRecord)
  /// It was not done, and may be later: after that time, if the remote says so.
  case retry(after: Duration?, message: String = "")
}
