extension PeerSession {
  /// What is to be done for a session, in the order it says.
  public enum Action: Sendable {
    /// Write these bytes to the stream.
    case send([UInt8])

    /// The value has taken this in.
    ///
    /// A store makes it durable before it does what follows, which may tell the
    /// peer that it is safe here. If that fails, drop the stream instead.
    case learned(Value.Delta)

    /// The peer has seen more of this replica's events than this side: the value
    /// is an older copy, a restored backup.
    ///
    /// Take a new ``ReplicaID`` before anything more is written, and set
    /// ``PeerSession/replica`` to it; else two events will go by one name. The
    /// exchange goes on, and brings back what was lost.
    case takeNewReplica

    /// Nothing further will come of this stream: close it.
    case close(SyncFailure)
  }
}
