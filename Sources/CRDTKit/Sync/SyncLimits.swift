/// Limits on the data that a ``PeerSession`` accepts from a peer, and the sizes that it
/// sends.
///
/// The two sides may have different limits.
public struct SyncLimits: Hashable, Sendable {
  /// The greatest number of bytes in the body of a frame that is sent: 64 to 65,536.
  ///
  /// Received frames may always have up to 65,536 bytes.
  public let maximumFrameBytes: Int

  /// The window: the greatest number of bytes of a transfer that may be unacknowledged.
  ///
  /// The smaller of the two sides' windows applies. One call of a session never returns
  /// more bytes of a transfer than this.
  public let windowBytes: Int

  /// The greatest length, in bytes, of a transfer that is accepted.
  public let maximumTransferBytes: Int

  /// The greatest amount of memory, in bytes, that a peer's data may take on one stream,
  /// including the bytes being decoded.
  ///
  /// Memory is counted while the bytes are decoded. Data that would exceed the limit is
  /// refused before it is allocated, as ``SyncFailure/malformed(_:)``. Data from an
  /// honest peer takes a few times its encoded size; data from a hostile peer can take
  /// fifty times that.
  ///
  /// Data that was replaced or removed since does not count for ever. Once half of the
  /// limit has arrived, the value's own size is counted instead, if that is at most a
  /// quarter of the limit. So a stream can continue for years while the value stays
  /// small. If the value is larger, the stream ends once data worth the limit has
  /// arrived. Then connect again, which restarts the count, or set a higher limit.
  /// Changes that were applied are kept.
  public let maximumMemoryBytes: Int

  /// The greatest number of replicas in a version, the peer's and the value's together.
  public let maximumReplicas: Int

  /// Creates limits; an omitted limit is as in ``standard``.
  public init(
    maximumFrameBytes: Int = 1 << 16, windowBytes: Int = 1 << 20,
    maximumTransferBytes: Int = 1 << 28, maximumMemoryBytes: Int = 1 << 30,
    maximumReplicas: Int = 1 << 16
  ) {
    self.maximumFrameBytes = min(max(maximumFrameBytes, 64), Frame.bodyBytesMax)
    self.windowBytes = max(windowBytes, 1)
    self.maximumTransferBytes = max(maximumTransferBytes, 0)
    self.maximumMemoryBytes = max(maximumMemoryBytes, 0)
    self.maximumReplicas = max(maximumReplicas, 0)
  }

  /// Frames of 64 KiB, a window of 1 MiB, transfers of 256 MiB, 1 GiB of memory, 65,536
  /// replicas.
  public static var standard: SyncLimits { SyncLimits() }
}

extension SyncLimits {
  /// The greatest number of replicas in a route to the root of a tree: a route must fit
  /// in a frame.
  @usableFromInline
  var routeLengthMax: Int { min(TreeRoute.lengthMax, maximumFrameBytes / 8) }
}
