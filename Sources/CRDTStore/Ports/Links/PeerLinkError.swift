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
  /// The task was cancelled.
  case cancelled
}
