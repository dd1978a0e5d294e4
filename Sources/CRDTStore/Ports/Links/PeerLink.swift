/// A stream of bytes to a peer, and one back.
///
/// ``DescriptorLink`` is one over pipes or a socket, ``MemoryLink`` one within a
/// process. Contract:
/// - All bytes come, in order and once, up to some point at which the link ended: no
///   byte is lost or changed in between. In which pieces they come says nothing.
/// - ``send(_:)`` returns when the link has taken the bytes, which may be before they
///   have come: at least 4,096 of them. Then it waits until the peer reads, so that
///   memory stays bounded.
/// - ``receive()`` gives at least one byte, or `nil` at the end: after all that the
///   peer had sent before it closed.
/// - One task at a time sends, and one receives; both may at once. They take up no
///   thread of Swift's tasks while they wait.
/// - Cancelling a task that waits makes it throw ``PeerLinkError/cancelled`` soon. No
///   byte that came is lost by it; of the bytes that were to be sent, some may have been.
/// - ``close()`` may be called on any thread and more than once. What was sent before
///   still comes, if the peer reads on; who waits here is woken; later calls throw
///   ``PeerLinkError/closed``. A link that nobody holds any more is closed.
public protocol PeerLink: Sendable {
  /// Sends bytes.
  func send(_ bytes: [UInt8]) async throws(PeerLinkError)

  /// Waits for bytes; `nil` when there will be none.
  func receive() async throws(PeerLinkError) -> [UInt8]?

  /// Ends both streams.
  func close()
}

extension PeerLink {
  /// The bytes that come, piece by piece, until the peer closes.
  public var incoming: PeerLinkBytes { PeerLinkBytes(self) }
}
