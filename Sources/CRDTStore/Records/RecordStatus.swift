/// What there is to be told of a record beside its fields.
public struct RecordStatus: Hashable, Sendable {
  /// How it stands with the server: the gravest that is so.
  public var syncStatus: SyncStatus
  /// How many of its changes wait to be sent.
  public var pendingCount: Int
  /// What the server refused, and why; the oldest first.
  public var failures: [OperationFailure]
  /// How many of its fields wait for someone to choose.
  public var conflictCount: Int
  /// Whether it is kept here alone.
  public var isLocalOnly: Bool
  /// The version that the server gave it last.
  public var serverVersion: String?
}
