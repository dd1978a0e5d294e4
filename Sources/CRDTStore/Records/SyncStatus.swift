/// How a record stands with the server.
public enum SyncStatus: String, Hashable, Codable, Sendable, CaseIterable {
  /// Nothing of it waits.
  case synced
  /// A change of it waits to be sent, or it is kept here alone.
  case pending
  /// Two values of one of its fields wait for someone to choose.
  case conflict
  /// The server refused a change of it.
  case failed
}
