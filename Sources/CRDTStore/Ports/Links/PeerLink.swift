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

/// The bytes that come over a ``PeerLink``, piece by piece, until the peer closes.
public struct PeerLinkBytes: AsyncSequence, Sendable {
  /// A piece of at least one byte.
  public typealias Element = [UInt8]
  /// Why there are no more.
  public typealias Failure = PeerLinkError

  private let link: any PeerLink

  init(_ link: any PeerLink) {
    self.link = link
  }

  /// Hands out the bytes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let link: any PeerLink

    /// Waits for bytes; `nil` when there will be none.
    ///
    /// - Throws: What ``PeerLink/receive()`` does.
    public func next() async throws(PeerLinkError) -> [UInt8]? {
      try await link.receive()
    }

    /// Waits for bytes; `nil` when there will be none.
    ///
    /// - Throws: What ``PeerLink/receive()`` does.
    public func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PeerLinkError) -> [UInt8]? {
      try await link.receive()
    }
  }

  /// Begins to hand out the bytes.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(link: link)
  }
}

/// One end of a link within a process.
public final class MemoryLink: PeerLink {
  private let incomingBytes: ByteChannel
  private let outgoingBytes: ByteChannel

  private init(incoming: ByteChannel, outgoing: ByteChannel) {
    incomingBytes = incoming
    outgoingBytes = outgoing
  }

  deinit {
    close()
  }

  /// Makes both ends of a link.
  ///
  /// So many bytes, but 4,096 at least, may be on their way in each direction before
  /// whoever sends waits.
  public static func makePair(capacityBytes: Int = 1 << 16) -> (MemoryLink, MemoryLink) {
    let capacity = max(capacityBytes, 4_096)
    let (there, back) = (ByteChannel(capacity: capacity), ByteChannel(capacity: capacity))
    return (
      MemoryLink(incoming: back, outgoing: there), MemoryLink(incoming: there, outgoing: back)
    )
  }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) async throws(PeerLinkError) {
    try await outgoingBytes.put(bytes)
  }

  /// Waits for bytes; `nil` when there will be none.
  public func receive() async throws(PeerLinkError) -> [UInt8]? {
    try await incomingBytes.take()
  }

  /// Ends both streams.
  public func close() {
    outgoingBytes.finish()
    incomingBytes.abandon()
  }
}
