import CRDTKit

/// A pair of byte streams to and from a peer.
///
/// ``DescriptorLink`` uses pipes or a socket, ``MemoryLink`` connects two ends within a
/// process. Contract:
/// - All bytes arrive in order and once, up to the point where the link ended. No byte is
///   lost or changed in between. The boundaries of pieces have no meaning.
/// - ``send(_:)`` returns when the link has accepted the bytes, which may be before they
///   arrive. The link accepts at least 4,096 bytes. Then ``send(_:)`` waits until the peer
///   reads, so that memory stays bounded.
/// - ``receive()`` returns at least one byte. It returns `nil` at the end, after all bytes
///   that the peer sent before it closed.
/// - One task at a time sends, and one receives; both may run concurrently. They block no
///   thread of Swift's tasks while they wait.
/// - A waiting task that is cancelled soon throws ``PeerLinkError/cancelled``. No received
///   byte is lost by that; some of the bytes to send may have been sent.
/// - ``close()`` may be called on any thread and more than once. Bytes that were sent
///   before still arrive, if the peer continues to read. Waiting tasks are woken; later
///   calls throw ``PeerLinkError/closed``. A link closes when its last reference is gone.
public protocol PeerLink: Sendable {
  /// Sends bytes.
  func send(_ bytes: [UInt8]) async throws(PeerLinkError)

  /// Waits for bytes; returns `nil` at the end of the stream.
  func receive() async throws(PeerLinkError) -> [UInt8]?

  /// Ends both streams.
  func close()
}

extension PeerLink {
  /// The received bytes, piece by piece, until the peer closes.
  public var incoming: PeerLinkBytes { PeerLinkBytes(self) }
}

/// Why bytes could not be sent or received.
@nonexhaustive
public enum PeerLinkError: Error, Hashable, Sendable {
  /// The link was closed here.
  case closed
  /// The peer accepts no more bytes.
  case closedByPeer
  /// A system call failed.
  case system(SystemError)
  /// Another error, with a message for developers.
  case failed(reason: String)
  /// Bytes received over a ``SealedLink`` are not those that a peer with the same key has
  /// sent there. All later bytes are rejected.
  case notAuthentic
  /// Bytes could not be sealed or opened, for a reason unrelated to the bytes.
  case sealing(SealingError)
  /// The task was cancelled.
  case cancelled
}

extension PeerLinkError: CustomStringConvertible {
  /// What is wrong, as a clause.
  public var description: String {
    switch self {
    case .closed: "the link was closed here"
    case .closedByPeer: "the peer accepts no more bytes"
    case .system(let error): "\(error.call) failed: \(error.reason)"
    case .failed(let reason): reason.visible
    case .notAuthentic: "the bytes are not those that a peer with the same key has sent there"
    case .sealing(let error): "the bytes can't be sealed or opened: \(error)"
    case .cancelled: "the task was cancelled"
    }
  }
}

/// The bytes received over a ``PeerLink``, piece by piece, until the peer closes.
public struct PeerLinkBytes: AsyncSequence, Sendable {
  /// A piece of at least one byte.
  public typealias Element = [UInt8]
  /// The error that ended the stream.
  public typealias Failure = PeerLinkError

  private let link: any PeerLink

  init(_ link: any PeerLink) {
    self.link = link
  }

  /// The iterator of the bytes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let link: any PeerLink

    /// Waits for bytes; returns `nil` at the end of the stream.
    ///
    /// - Throws: The errors of ``PeerLink/receive()``.
    public func next() async throws(PeerLinkError) -> [UInt8]? {
      try await link.receive()
    }

    /// Waits for bytes; returns `nil` at the end of the stream.
    ///
    /// - Throws: The errors of ``PeerLink/receive()``.
    public func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PeerLinkError) -> [UInt8]? {
      try await link.receive()
    }
  }

  /// Creates an iterator.
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

  /// Creates both ends of a link.
  ///
  /// Each direction buffers up to `capacityBytes`, but at least 4,096, before a sender
  /// waits.
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

  /// Waits for bytes; returns `nil` at the end of the stream.
  public func receive() async throws(PeerLinkError) -> [UInt8]? {
    try await incomingBytes.take()
  }

  /// Ends both streams.
  public func close() {
    outgoingBytes.finish()
    incomingBytes.abandon()
  }
}
