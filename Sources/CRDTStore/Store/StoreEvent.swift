public import CRDTKit

extension Store {
  /// Something that happened in a store besides the app's own calls.
  @nonexhaustive
  public enum Event: Sendable {
    /// The files have grown to the soft limit.
    case softLimitReached(bytes: Int, limit: Int)
    /// A snapshot was written.
    case compacted
    /// A snapshot could not be written; the store goes on without it.
    case compactionFailed(StoreError)
    /// The store could not write, and accepts no more commits.
    case stopped(StoreError)
    /// This many operations wait in the outbox: more than the options expect.
    case backlog(count: Int)
    /// The server refused an operation for good, or it failed too often. The outbox keeps it.
    case deadLettered(Outbox.Operation)
    /// A queued change lost to a later one, or its target is gone.
    ///
    /// The server doesn't receive the change. The operation holds only the changes that lost.
    /// The document's `explain` shows the value that won.
    case superseded(Outbox.Operation)
    /// An operation that the server had refused is sent again, with these changes.
    case retried(Outbox.Operation)
    /// The app gave up an operation that the server had refused.
    case discarded(Outbox.Operation)
    /// A record from the server can't be stored here, and was skipped.
    case serverRecordRefused(Document.RecordID, reason: String)
    /// A record's fields don't fit its model, so lists of records leave it out.
    ///
    /// Another version of the app wrote the record, or this version needs a field that the
    /// record lacks. See ``Rules`` for defaults. The field path is empty if the error
    /// concerns the record as a whole. The store sends this event once per record while it is
    /// open, for up to 1,024 records; ``Store/Records/unreadable`` has them all.
    case recordUnreadable(Document.RecordID, field: FieldPath, reason: String)
    /// The server asks for other credentials. Nothing is sent until it has them.
    case credentialsNeeded
    /// Edits and a purge of the same records have met.
    ///
    /// Edits arrived of records that had been purged, or a purge of records that had been
    /// edited here. The store keeps what is left of the records, for the app to restore or
    /// discard. See ``Store/orphanedRecords(of:)``.
    case recordsOrphaned([Document.RecordID])
    /// The store writes as another replica from now on.
    ///
    /// It was a copy or a restored backup, or older than what a peer has seen of it. The
    /// event is sent each time this happens: when the store is opened, or while it syncs.
    /// Changes written as the old replica stay under that replica.
    case tookNewReplica(old: ReplicaID, new: ReplicaID)
    /// Two places had written as one replica, and the store has repaired that.
    ///
    /// For example, a disk image was restored while the original disk was still in use. The
    /// two have now met, and nothing is lost: the events that only one of them had were
    /// written anew as another replica. If these were this store's own events, it writes as a third
    /// replica from now on: see ``tookNewReplica(old:new:)``.
    case mendedFork(Store.MendedFork)
    /// The store no longer waits for this peer, because more than 1,024 peers were in touch.
    /// It is the peer that was silent for the longest time.
    case forgotPeer(ReplicaID)
    /// The clock has jumped ahead by this much, beyond all times that the store knows.
    ///
    /// The event is sent once per jump. See ``Store/ClockWarning/jumped(by:)``.
    case clockJumped(by: Duration)
    /// The store's latest stamps are ahead of the clock by this much.
    ///
    /// The event is sent once, until no stamp is ahead any more. See
    /// ``Store/ClockWarning/stampsAhead(by:)``.
    case stampsAhead(by: Duration)
  }

  /// What the store did after two places had written as one replica.
  ///
  /// The events that only one of the two places had got another name, the same one on every
  /// replica. The other place's events keep the name.
  public struct MendedFork: Hashable, Sendable {
    /// The replica that had written in two places.
    public var replica: ReplicaID
    /// The name under which the events of one place were written anew.
    public var name: ReplicaID
    /// The number of these events.
    ///
    /// A commit has one event for each value that it writes or removes, including each
    /// element of a set or list, and one for each record that it creates or deletes.
    public var events: UInt64

    /// Creates the description of a mended fork.
    public init(replica: ReplicaID, name: ReplicaID, events: UInt64) {
      self.replica = replica
      self.name = name
      self.events = events
    }
  }
}

extension Store {
  /// The forks that were mended since the store was opened, in order.
  ///
  /// The store also sends ``Store/Event/mendedFork(_:)`` for each.
  public var mendedForks: [Store.MendedFork] { core.monitor.withLock { core.mendedForks } }
}
