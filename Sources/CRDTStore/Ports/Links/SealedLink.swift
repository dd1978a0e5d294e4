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

/// Where both streams of a ``SealedLink`` are.
///
/// A stream begins with four fixed bytes and a number that its sender made up. Then come
/// frames: four bytes of the size, and what is sealed for the sender's number, the
/// receiver's if it is known, and the count of frames before. The highest bit of the
/// size says whether it is known; once it is, it stays so.
struct SealedStreams {
  static let nonceSize = 16
  private static let mark: [UInt8] = [0xC4, 0xD7, 0x53, 1]

  /// What a frame is sealed for.
  struct Place {
    var sender: [UInt8]
    /// The number of the receiver's own stream; empty where the sender didn't know it.
    var receiver: [UInt8]
    var count: UInt64
    var document: DocumentID?
    /// What goes before the frame.
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

    /// The bytes that are sent.
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
  /// What came and wasn't handed out yet.
  private var bytes: [UInt8] = []
  private var start = 0
  private var receivedCount: UInt64 = 0
  private var isBound = false
  /// Why nothing more is received.
  var refusal: PeerLinkError?
  var isClosed = false

  init(nonce: [UInt8], document: DocumentID? = nil) {
    self.nonce = nonce
    self.document = document
  }
}

extension SealedStreams {
  /// The place of the next frame to be sent.
  mutating func nextOutgoing() throws(PeerLinkError) -> Place {
    if isClosed { throw .closed }
    if isBroken { throw .failed(reason: "what was sent before was cut short") }
    defer { sentCount += 1 }
    return Place(
      sender: nonce, receiver: peerNonce, count: sentCount, document: document,
      prefix: sentCount == 0 ? Self.mark + nonce : [])
  }

  /// Nothing more can be sent.
  mutating func breakOff() {
    isBroken = true
  }

  /// Takes note of bytes that came.
  mutating func take(_ new: [UInt8]) {
    bytes.removeFirst(start)
    start = 0
    bytes += new
  }

  /// The next frame, if it has come wholly.
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
      // It is what was sent here.
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

  /// The end of the stream, which is there only between two frames, or before all.
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
