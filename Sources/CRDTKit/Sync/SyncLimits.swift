/// What a ``PeerSession`` takes from a peer at most, and how it cuts what it sends.
///
/// The two sides need not have the same limits.
public struct SyncLimits: Hashable, Sendable {
  /// How many bytes the body of a frame has at most that is sent: 64 to 65,536.
  ///
  /// Whatever this is, frames of up to 65,536 bytes are taken.
  public let frameBytesMax: Int

  /// How many bytes of a transfer may be under way at most: the window.
  ///
  /// The lesser of the two sides' windows counts. One call of a session never
  /// returns more of a transfer than this.
  public let windowBytes: Int

  /// How long a transfer may be that is taken.
  public let transferBytesMax: Int

  /// How much memory may be taken by what a peer brings on one stream, with the bytes of
  /// what is being read.
  ///
  /// It is counted as the bytes are read, and what would exceed it is refused before it is
  /// there, as ``SyncFailure/malformed(_:)``. What an honest peer sends comes to a few
  /// times its bytes; a stranger's can come to fifty times.
  ///
  /// What was replaced or removed since doesn't count in the end: once half of the limit has
  /// come, what the value holds is counted in place of that, if it takes a quarter of the
  /// limit at most. So a stream may go on for years where the value stays small. Where the
  /// value takes more, the stream ends once as much has come as the limit says: connect anew
  /// then, which begins to count anew, or set a higher limit. What was taken in is kept.
  public let memoryBytesMax: Int

  /// How many replicas a version may name, the peer's and that of the value here.
  public let replicasMax: Int

  /// Creates limits; what is left out is as in ``standard``.
  public init(
    frameBytesMax: Int = 1 << 16, windowBytes: Int = 1 << 20,
    transferBytesMax: Int = 1 << 28, memoryBytesMax: Int = 1 << 30, replicasMax: Int = 1 << 16
  ) {
    self.frameBytesMax = min(max(frameBytesMax, 64), Frame.bodyBytesMax)
    self.windowBytes = max(windowBytes, 1)
    self.transferBytesMax = max(transferBytesMax, 0)
    self.memoryBytesMax = max(memoryBytesMax, 0)
    self.replicasMax = max(replicasMax, 0)
  }

  /// Frames of 64 KiB, a window of 1 MiB, transfers of 256 MiB, 1 GiB of memory, 65,536
  /// replicas.
  public static var standard: SyncLimits { SyncLimits() }
}

extension SyncLimits {
  /// How many replicas a way to the root of a tree has at most: it is told in one frame.
  @usableFromInline
  var routeLengthMax: Int { min(TreeRoute.lengthMax, frameBytesMax / 8) }
}
