public import CRDTKit

/// One change in a store's log, for those who look into it.
public struct StoreLogEntry: Sendable {
  /// The number of the segment that holds it.
  public var segment: UInt64
  /// Where its batch stands in the segment.
  public var offset: Int
  /// The time of the clock after it, as in `HybridTimestamp`.
  public var milliseconds: UInt64
  /// The events of which it consists.
  public var version: VersionVector
  /// The records of which it has rows; what was only removed isn't listed.
  public var records: Set<Document.RecordID>
  /// How many bytes the batch takes: one commit, or several that were written together.
  public var batchBytes: Int
}
