public import CRDTKit

/// What salvaging a store has saved, and what not.
///
/// A store in which nothing was wrong is left as it is.
public struct SalvageReport: Hashable, Sendable {
  /// What was wrong.
  public var findings: [StoreFinding] = []
  /// How many changes were taken in from the segments.
  public var changesTaken = 0
  /// How many changes are whole but go on from others that are lost.
  ///
  /// They could not be taken in as they were, so what they wrote was written anew, by another
  /// replica and with the times that they had. What others have written since wins over it; what
  /// others have removed or deleted since is there again, as for who hadn't seen it removed.
  public var changesWrittenAnew = 0
  /// How many of these have counts, or what this version doesn't know: that part of
  /// them is only in the files that were set aside.
  public var changesIncomplete = 0
  /// How many batches of commits are whole but go on from names in a damaged one, and
  /// can't be read without: those of at most 4 KiB after each damage.
  public var batchesUnreadable = 0
  /// Whether the schema was lost: open the store with it.
  public var isSchemaLost = false
  /// Where the damaged files are now.
  public var filesSetAside: [String] = []
  /// The replica that the store writes as from now on: what the old one wrote last
  /// may be known elsewhere and not here.
  public var replica = ReplicaID(0)
  /// How many records the store holds now.
  public var records = 0
}
