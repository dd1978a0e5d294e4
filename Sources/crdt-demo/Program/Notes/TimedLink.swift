import CRDTStore

/// A link to a peer that must not keep it waiting for long.
struct TimedLink {
  private let link: DescriptorLink
  private var patience: PeerPatience

  /// How many bytes the peer may take at once.
  private static let pieceSize = 1 << 12

  init(_ link: DescriptorLink, _ limits: PeerLimits) {
    self.link = link
    patience = PeerPatience(limits)
  }

  /// Sends bytes.
  mutating func send(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = [UInt8](rest.prefix(Self.pieceSize))
      rest = rest.dropFirst(piece.count)
      try await limited { [link] () async throws(PeerLinkError) in try await link.send(piece) }
      patience.note(bytes: piece.count, areSaid: false)
    }
  }

  /// Waits for bytes; `nil` when there will be none.
  mutating func receive() async throws -> [UInt8]? {
    let bytes = try await limited { [link] () async throws(PeerLinkError) in
      try await link.receive()
    }
    patience.note(bytes: bytes?.count ?? 0, areSaid: true)
    return bytes
  }

  /// The peer has greeted, all of it.
  mutating func noteGreeting() { patience.noteGreeting() }

  /// What the peer said has brought something.
  mutating func noteNews() { patience.noteNews() }

  /// Does something that the peer may keep waiting for a while.
  private mutating func limited<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(PeerLinkError) -> Value
  ) async throws -> Value {
    // Whoever says a little each moment would never be waited for.
    guard patience.left >= .milliseconds(1) else { throw patience.fault }
    let start = ContinuousClock.now
    let result = await SystemMonotonicClock().limit(to: patience.left) {
      () -> Result<Value, PeerLinkError> in
      do throws(PeerLinkError) { return .success(try await body()) } catch {
        return .failure(error)
      }
    }
    patience.spend(ContinuousClock.now - start)
    guard let result else { throw patience.fault }
    return try result.get()
  }
}
