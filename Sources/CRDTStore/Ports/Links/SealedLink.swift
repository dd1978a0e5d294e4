public import CRDTKit

/// A link over another one, on which all bytes are sealed.
///
///     let link = SealedLink(try DescriptorLink(reading: 0, writing: 1), sealing: sealing)
///
/// Both ends have the same key, and each one's wraps its end. What somebody between
/// them changes, leaves out, repeats, exchanges or sends back is refused as
/// ``PeerLinkError/notAuthentic``, and so is what was sent on another link: but for what
/// a peer had sent there before the first bytes came to it. That a link ends between
/// two pieces can't be told from a peer that closes it. How many bytes go when, can be
/// seen.
///
/// The link beneath should take some 200 bytes more than 4,096 before it waits. When a
/// task is cancelled that sends, nothing more can be sent.
public final class SealedLink: PeerLink {
  /// How many bytes are sealed together at most.
  static let pieceBytesMax = 1 << 15

  private let link: any PeerLink
  private let sealing: any Sealing
  private let state: Locked<SealedStreams>

  /// Creates a link over another one, which is its own from now on.
  ///
  /// - Parameters:
  ///   - link: The link beneath.
  ///   - sealing: The key that both ends have.
  ///   - document: The document that the link is for, if both ends can say which: then
  ///     nothing opens of a link for another one with the same key.
  public convenience init(
    _ link: any PeerLink, sealing: any Sealing, document: DocumentID? = nil
  ) {
    var generator = SystemRandomNumberGenerator()
    self.init(link, sealing: sealing, document: document, using: &generator)
  }

  init(
    _ link: any PeerLink, sealing: any Sealing, document: DocumentID? = nil,
    using generator: inout some RandomNumberGenerator
  ) {
    self.link = link
    self.sealing = sealing
    let nonce = (0..<SealedStreams.nonceSize).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
    state = Locked(SealedStreams(nonce: nonce, document: document))
  }

  deinit {
    close()
  }

  /// Seals bytes and sends them.
  ///
  /// - Complexity: O(n) in the bytes.
  public func send(_ bytes: [UInt8]) async throws(PeerLinkError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(Self.pieceBytesMax))
      rest = rest.dropFirst(piece.count)
      let place = try state.withLock { (state) throws(PeerLinkError) in
        try state.nextOutgoing()
      }
      let sealed: [UInt8]
      do throws(SealingError) { sealed = try sealing.seal(piece, for: place.context) } catch {
        state.withLock { $0.breakOff() }
        throw .sealing(error)
      }
      do throws(PeerLinkError) { try await link.send(place.frame(of: sealed)) } catch {
        // Where a part of it went, what follows would be taken for the rest.
        state.withLock { $0.breakOff() }
        throw error
      }
    }
  }

  /// Waits for bytes, and opens them; `nil` when there will be none.
  ///
  /// - Complexity: O(n) in the bytes.
  public func receive() async throws(PeerLinkError) -> [UInt8]? {
    let sizeMax = Self.pieceBytesMax + max(0, sealing.overheadBytes)
    while true {
      let next = try state.withLock { (state) throws(PeerLinkError) in
        try state.nextIncoming(sizeMax: sizeMax)
      }
      if let next { return try open(next.sealed, at: next.place) }
      guard let bytes = try await link.receive() else {
        return try state.withLock { (state) throws(PeerLinkError) in try state.end() }
      }
      state.withLock { $0.take(bytes) }
    }
  }

  private func open(
    _ sealed: [UInt8], at place: SealedStreams.Place
  ) throws(PeerLinkError) -> [UInt8] {
    do throws(SealingError) {
      let bytes = try sealing.open(sealed, for: place.context)
      // A peer sends none that are empty, and whoever reads takes them for the end.
      if !bytes.isEmpty { return bytes }
    } catch {
      guard error == .notAuthentic else {
        state.withLock { $0.refusal = .sealing(error) }
        throw .sealing(error)
      }
    }
    state.withLock { $0.refusal = .notAuthentic }
    throw .notAuthentic
  }

  /// Ends both streams.
  public func close() {
    state.withLock { $0.isClosed = true }
    link.close()
  }
}
