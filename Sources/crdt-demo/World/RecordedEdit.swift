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
}
