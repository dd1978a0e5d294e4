import CRDTKit

/// How many bytes the messages of the compared algorithms take: the same rules for
/// all of them.
///
/// A message has a frame of nine bytes: four of length, one of kind, four of
/// checksum, as a frame of ``PeerSession`` costs. Numbers are varints. A replica is
/// named by the eight bytes of its identifier, each time; there are no other names,
/// no addresses and no headers of a transport. Elements are written in columns,
/// each after the one before it, as CRDTKit's own tables do.
enum ExperimentMessageFormat {
  /// Length, kind and checksum.
  static let frameByteCount = 9

  /// The identifier of a node.
  static func identifier(of node: Int) -> UInt64 {
    Fingerprint.of(UInt64(node) + 1)
  }
}
