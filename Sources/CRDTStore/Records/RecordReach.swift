/// Who has a record.
public enum RecordReach: Hashable, Sendable {
  /// All replicas, and the server, if the collection has one.
  case shared
  /// This store alone, until it is published: nothing of it is sent.
  case localOnly
}
