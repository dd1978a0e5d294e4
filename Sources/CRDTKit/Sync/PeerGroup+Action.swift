extension PeerGroup {
  /// What is to be done for a group, in the order it says.
  public enum Action: Sendable {
    /// Write these bytes to the peer's stream.
    case send([UInt8], to: Peer)

    /// The value has taken this in, from a peer.
    ///
    /// A store makes it durable before it does what follows, and before it flushes the
    /// group again: either may tell the peer that it is safe here. If that fails, drop the
    /// streams instead.
    case learned(Value.Delta, from: Peer)

    /// A peer has seen more of this replica's events than this side: see
    /// ``PeerSession/Action/takeNewReplica``.
    ///
    /// Go on with another group of the new replica, on new streams.
    case takeNewReplica

    /// Nothing further will come of the peer's stream: close it.
    case close(Peer, SyncFailure)
  }
}
