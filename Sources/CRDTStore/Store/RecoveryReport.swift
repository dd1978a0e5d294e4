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
  /// Whether the folder is a copy of the one that the store was made in, and so
  /// got a replica of its own.
  public var isCopy = false
}
