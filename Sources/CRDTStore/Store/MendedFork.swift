public import CRDTKit

/// What was done where two places had written as one replica.
///
/// Of the two lines of events, those that only one of them had go by another name, the same
/// one everywhere; the other line keeps the name.
public struct MendedFork: Hashable, Sendable {
  /// The replica that had written in two places.
  public var replica: ReplicaID
  /// The name under which the events of one place were written anew.
  public var name: ReplicaID
  /// How many events those are.
  ///
  /// A commit has one for each value that it writes or removes, an element of a set or of a
  /// list among them, and one for each record that it makes or deletes.
  public var events: UInt64

  /// Creates the account of a fork that was mended.
  public init(replica: ReplicaID, name: ReplicaID, events: UInt64) {
    self.replica = replica
    self.name = name
    self.events = events
  }
}

extension Store {
  /// The forks that were mended since the store was opened, in order.
  ///
  /// Each is told as ``StoreEvent/mendedFork(_:)`` too.
  public var mendedForks: [MendedFork] { core.monitor.withLock { core.mendedForks } }
}

extension BlockingStore {
  /// See ``Store/mendedForks``.
  public var mendedForks: [MendedFork] { core.monitor.withLock { core.mendedForks } }
}
