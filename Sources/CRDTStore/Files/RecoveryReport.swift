public import CRDTKit

/// The result of opening a store.
public struct RecoveryReport: Hashable, Sendable {
  /// The number of changes that were replayed on top of the snapshot.
  public var changesReplayed = 0
  /// The number of bytes at the end that were no whole commit and were set aside.
  ///
  /// They were being written, and were not yet acknowledged, when the process or the
  /// machine stopped.
  public var bytesSetAside = 0
  /// Whether the store was closed properly the last time.
  public var wasClosed = false
  /// Whether the newest snapshot was missing, and the store used an older one and its
  /// segments.
  ///
  /// This happens with a copy that was made during a compaction.
  public var usedOlderSnapshot = false
  /// Whether the folder is a copy, or a backup was restored into it.
  ///
  /// The store then writes as another replica from now on.
  public var isCopy = false
  /// Whether something in the folder was not sealed, although the store is to be sealed.
  ///
  /// See ``Store/Options/adoptsUnsealedFiles``.
  public var wasUnsealed = false
  /// Whether other users of the machine may replace files in the folder.
  ///
  /// This is the case if the folder's permissions allow it, or if the folder belongs to
  /// another user. A folder that a store creates is for its owner only. This is no error:
  /// if the store is sealed, it detects what others change or add, as it detects any
  /// damage.
  public var isWritableByOthers = false
  /// The replica that the store wrote as before, if ``isCopy`` is true.
  public var formerReplica: ReplicaID?
}
