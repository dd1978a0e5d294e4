public import CRDTKit

/// A link that seals all bytes of another link.
///
///     let link = SealedLink(try DescriptorLink(reading: 0, writing: 1), sealing: sealing)
///
/// Both ends have the same key, and each wraps its own end of the link. If somebody between
/// them changes, omits, repeats, swaps or reflects bytes, the receiver throws
/// ``PeerLinkError/notAuthentic``. The same applies to bytes from another link, except for
/// those that a peer sent there before it received the first bytes. An end of the link
/// between two pieces looks like a peer that closes it. The sizes and times of the bytes
/// are visible.
///
/// The underlying link should accept some 200 bytes more than 4,096 before it waits. If a
/// sending task is cancelled, nothing more can be sent.
public final class SealedLink: PeerLink {
  /// The greatest number of bytes that are sealed together.
  static let pieceBytesMax = 1 << 15

  private let link: any PeerLink
  private let sealing: any Sealing
  private let state: Locked<SealedStreams>

  /// Creates a link that takes ownership of another one.
  ///
  /// - Parameters:
  ///   - link: The underlying link.
  ///   - sealing: The key that both ends have.
  ///   - document: The link's document, if both ends know it. Bytes of a link for another
  ///     document with the same key don't open then.
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
        // If only a part was sent, the receiver would take the next bytes for the rest.
        state.withLock { $0.breakOff() }
        throw error
      }
    }
  }

  /// Waits for bytes, and opens them; returns `nil` at the end of the stream.
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
      // A peer sends no empty frames, and a reader would take one for the end.
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

/// The state of both streams of a ``SealedLink``.
///
/// A stream begins with four fixed bytes and a random number of its sender. Frames follow:
/// four bytes of the size, then the sealed bytes. The context of the seal is the sender's
/// number, the receiver's number if it is known, and the count of previous frames. The
/// highest bit of the size tells whether the receiver's number is known; once set, it stays
/// set.
struct SealedStreams {
  static let nonceSize = 16
  private static let mark: [UInt8] = [0xC4, 0xD7, 0x53, 1]

  /// The context that a frame is sealed for.
  struct Place {
    var sender: [UInt8]
    /// The number of the receiver's stream; empty if the sender didn't know it.
    var receiver: [UInt8]
    var count: UInt64
    var document: DocumentID?
    /// The bytes before the frame.
    var prefix: [UInt8] = []

    var context: [UInt8] {
      var writer = ByteWriter(capacity: 64)
      writer.write(Array("CRDTStore link".utf8))
      writer.write(mark)
      writer.write(sender)
      writer.write(fixed: count)
      writer.write(receiver)
      document?.encode(to: &writer)
      return writer.finish()
    }

    /// The bytes to send.
    func frame(of sealed: [UInt8]) -> [UInt8] {
      var writer = ByteWriter(capacity: prefix.count + 4 + sealed.count)
      writer.write(prefix)
      writer.write(fixed: UInt32(sealed.count) | (receiver.isEmpty ? 0 : boundFlag))
      writer.write(sealed)
      return writer.finish()
    }
  }

  private static let boundFlag: UInt32 = 1 << 31

  let nonce: [UInt8]
  private let document: DocumentID?
  private var peerNonce: [UInt8] = []
  private var sentCount: UInt64 = 0
  private var isBroken = false
  /// The received bytes that were not returned yet.
  private var bytes: [UInt8] = []
  private var start = 0
  private var receivedCount: UInt64 = 0
  private var isBound = false
  /// Why no more bytes are accepted.
  var refusal: PeerLinkError?
  var isClosed = false

  init(nonce: [UInt8], document: DocumentID? = nil) {
    self.nonce = nonce
    self.document = document
  }
}

extension SealedStreams {
  /// The context of the next frame to send.
  mutating func nextOutgoing() throws(PeerLinkError) -> Place {
    if isClosed { throw .closed }
    if isBroken { throw .failed(reason: "what was sent before was cut short") }
    defer { sentCount += 1 }
    return Place(
      sender: nonce, receiver: peerNonce, count: sentCount, document: document,
      prefix: sentCount == 0 ? Self.mark + nonce : [])
  }

  /// Prevents further sending.
  mutating func breakOff() {
    isBroken = true
  }

  /// Adds received bytes.
  mutating func take(_ new: [UInt8]) {
    bytes.removeFirst(start)
    start = 0
    bytes += new
  }

  /// The next frame, if it has arrived completely.
  mutating func nextIncoming(
    sizeMax: Int
  ) throws(PeerLinkError) -> (sealed: [UInt8], place: Place)? {
    if isClosed { throw .closed }
    if let refusal { throw refusal }
    if peerNonce.isEmpty {
      let size = Self.mark.count + Self.nonceSize
      guard zip(bytes, Self.mark).allSatisfy({ $0 == $1 }) else { throw refuse() }
      guard bytes.count >= size else { return nil }
      peerNonce = Array(bytes[Self.mark.count..<size])
      start = size
      // The peer reflects our own stream.
      if peerNonce == nonce { throw refuse() }
    }
    guard bytes.count - start >= 4 else { return nil }
    let word = bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    let (isNowBound, size) = (word & Self.boundFlag != 0, Int(word & ~Self.boundFlag))
    guard isNowBound || !isBound, size <= sizeMax else { throw refuse() }
    guard bytes.count - start - 4 >= size else { return nil }
    let sealed = Array(bytes[start + 4..<start + 4 + size])
    start += 4 + size
    isBound = isNowBound
    defer { receivedCount += 1 }
    return (
      sealed,
      Place(
        sender: peerNonce, receiver: isNowBound ? nonce : [], count: receivedCount,
        document: document)
    )
  }

  /// Handles the end of the stream, which is valid only between two frames, or before the
  /// first.
  mutating func end() throws(PeerLinkError) -> [UInt8]? {
    let isCut = start < bytes.count || (receivedCount == 0 && !peerNonce.isEmpty)
    if isCut { throw refuse() }
    return nil
  }

  private mutating func refuse() -> PeerLinkError {
    refusal = .notAuthentic
    return .notAuthentic
  }
}
