public import CRDTKit

/// What ``Store/restampFutureWrites()`` did.
public struct RestampReport: Hashable, Sendable {
  /// How many values were written anew: of fields, elements of sets, counts, and what is
  /// noted of records as a whole.
  public var valuesWritten = 0
  /// The records that they belong to.
  public var records: Set<Document.RecordID> = []
  /// How many counts are left by other replicas, which nobody but they can write anew.
  ///
  /// Call ``Store/restampFutureWrites()`` there. Until then peers refuse what the store
  /// sends them.
  public var countsLeft: [ReplicaID: Int] = [:]

  /// Whether nothing in the store is ahead of the clock any more.
  public var isComplete: Bool { countsLeft.isEmpty }
}
