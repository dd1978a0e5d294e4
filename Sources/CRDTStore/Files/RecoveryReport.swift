public import CRDTKit

/// What opening a store found and did.
public struct RecoveryReport: Hashable, Sendable {
  /// How many changes were replayed on top of the snapshot.
  public var changesReplayed = 0
  /// How many bytes at the end were no whole commit, and were set aside: what was
  /// being written, and not yet acknowledged, when the process or the machine stopped.
  public var bytesSetAside = 0
  /// Whether the store was closed in good order the last time.
  public var wasClosed = false
  /// Whether the newest snapshot was not there, as in a copy that was made while
  /// the store was being compacted, and an older one and its segments were read.
  public var usedOlderSnapshot = false
  /// Whether the folder is a copy of the one that the store was last written in, or a backup
  /// was restored into it, so that the store writes as another replica now.
  public var isCopy = false
  /// Whether something in the folder was not sealed, though the store is to be: see
  /// ``StoreOptions/adoptsUnsealedFiles``.
  public var wasUnsealed = false
  /// Whether other users of the machine may replace files in the folder, as its permissions
  /// say, or it is another user's; a folder that a store makes is for its owner only.
  ///
  /// It is no error: what they change or put there is found, as all damage is, where the store is
  /// sealed.
  public var isWritableByOthers = false
  /// The replica as which the store was written before, where ``isCopy`` is true.
  public var formerReplica: ReplicaID?
}
