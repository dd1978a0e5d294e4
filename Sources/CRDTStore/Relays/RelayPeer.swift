public import CRDTKit

/// A replica that uses a relay's folder.
public struct RelayPeer: Hashable, Sendable {
  /// The replica.
  public var replica: ReplicaID
  /// What it says it has taken in.
  public var version: VersionVector
  /// When it last said so, in milliseconds since 1970 by its own clock.
  public var lastSeenMilliseconds: UInt64
  /// Whether it was retired, and has not come back since: nobody waits for it.
  public var isRetired: Bool
}
