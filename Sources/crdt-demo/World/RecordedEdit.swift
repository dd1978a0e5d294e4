import CRDTKit

/// An edit that a replica has made durable.
struct RecordedEdit: Sendable {
  /// The event that it is.
  var replica: ReplicaID
  var counter: UInt64
  /// What the replica had seen when it was made.
  var observed: VersionVector
  var change: OracleChange
  var stamp: HybridTimestamp
  /// The number that the world has given the edit, and where it was made.
  var serial = 0
  var place = 0
  /// How many events it is; of several changes, the first counts all.
  var events: UInt64 = 0
  /// What the writer had seen, where that is known by numbers.
  var seen: Shadow?
  /// The time beyond which the writer's stamps are those of this one from now on.
  var restampsBeyond: UInt64?
  /// What the key read as before.
  var read: [Int64] = []
}
