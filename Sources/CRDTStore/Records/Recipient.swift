public import CRDTKit

/// Someone who may have a commit.
public enum Recipient: Hashable, Sendable {
  /// The server, as far as the commit was queued for it.
  case server
  /// Another replica.
  case peer(ReplicaID)
}
