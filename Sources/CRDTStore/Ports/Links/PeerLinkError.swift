/// Why bytes could not be sent or received.
public enum PeerLinkError: Error, Hashable, Sendable {
  /// The link was closed here.
  case closed
  /// The peer takes no more bytes.
  case closedByPeer
  /// A call of the system failed.
  case system(SystemError)
  /// Something else went wrong: with words for somebody who mends it.
  case failed(reason: String)
  /// What came over a ``SealedLink`` is not what a peer with the same key has sent there:
  /// nothing that comes after it is taken.
  case notAuthentic
  /// Bytes could not be sealed or opened, for a reason that says nothing about them.
  case sealing(SealingError)
  /// The task was cancelled.
  case cancelled
}
