public import CRDTKit

/// Something that happened in a store beside the app's own calls.
public enum StoreEvent: Sendable {
  /// The files have grown to the soft limit.
  case softLimitReached(bytes: Int, limit: Int)
  /// A snapshot was written.
  case compacted
  /// A snapshot could not be written; the store goes on without.
  case compactionFailed(StoreError)
  /// The store could not write, and takes no more commits.
  case stopped(StoreError)
  /// So many operations wait in the outbox: more than are expected to.
  case backlog(count: Int)
  /// The server refused an operation for good, or failed too often; it is kept.
  case deadLettered(OutboxOperation)
  /// A change that was queued lost to a later one, or what it changed is gone, and the server
  /// is not told of it: the operation with just the changes that lost. `explain`
  /// of the document tells what stands in its place.
  case superseded(OutboxOperation)
  /// An operation that the server had refused is sent again, with these changes.
  case retried(OutboxOperation)
  /// An operation that the server had refused was given up.
  case discarded(OutboxOperation)
  /// A record of the server's can't be held here, and was passed over.
  case serverRecordRefused(Document.RecordID, reason: String)
  /// A record's fields are not what its model asks for, so it is left out where records are
  /// listed: another version of the app has written it, or this one asks for a field that it
  /// lacks. See ``Rules`` for what is read then.
  ///
  /// The field is empty where it is the record as a whole. It is told once a record while the
  /// store is open, of up to 1,024; ``Records/unreadable`` has them all.
  case recordUnreadable(Document.RecordID, field: FieldPath, reason: String)
  /// The server wants other credentials, and nothing is sent until there are.
  case credentialsNeeded
  /// Edits came of records that had been purged, or the purge of records that had been
  /// edited here: what is left of them is kept, for the app to restore or to discard.
  /// See ``Store/orphanedRecords(of:)``.
  case recordsOrphaned([Document.RecordID])
  /// The store was a copy or a restored backup, or older than what a peer has seen of it, and
  /// writes as another replica from now on.
  ///
  /// Told once each time: when the store is opened, or while it syncs. What was written as the
  /// old replica stays its own.
  case tookNewReplica(old: ReplicaID, new: ReplicaID)
  /// Two places had written as one replica, such as a disk image that was put back and the
  /// disk itself; the two have met, and nothing is lost: what only one of them had was
  /// written anew as another replica.
  ///
  /// Where that was this store's own, the store writes as a third one from now on: see
  /// ``tookNewReplica(old:new:)``.
  case mendedFork(MendedFork)
  /// A peer is no longer waited for, since more than 1,024 were in touch: of all it was not
  /// heard of for the longest time.
  case forgotPeer(ReplicaID)
  /// The clock has jumped ahead by as much, beyond everything that the store knows: see
  /// ``ClockWarning/jumped(by:)``. It is told once a jump.
  case clockJumped(by: Duration)
  /// The store goes on from stamps that are ahead of the clock by as much: see
  /// ``ClockWarning/stampsAhead(by:)``. It is told once, until they are no more.
  case stampsAhead(by: Duration)
}

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
