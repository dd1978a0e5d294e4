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
