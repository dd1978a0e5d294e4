import CRDTStore

/// A link to a peer that must not be silent for long.
struct TimedLink {
  private let link: DescriptorLink
  /// For how long the peer may neither say nor take a byte.
  private let limit: Duration

  /// How many bytes the peer may take that time for.
  private static let pieceSize = 1 << 12

  /// The peer was silent for too long.
  struct Silence: Error {}

  init(_ link: DescriptorLink, _ limit: Duration) {
    self.link = link
    self.limit = limit
  }

  /// Sends bytes.
  func send(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = [UInt8](rest.prefix(Self.pieceSize))
      rest = rest.dropFirst(piece.count)
      try await limited { [link] () async throws(PeerLinkError) in try await link.send(piece) }
    }
  }

  /// Waits for bytes; `nil` when there will be none.
  func receive() async throws -> [UInt8]? {
    try await limited { [link] () async throws(PeerLinkError) in try await link.receive() }
  }

  private func limited<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(PeerLinkError) -> Value
  ) async throws -> Value {
    let result = await SystemMonotonicClock().limit(to: limit) {
      () -> Result<Value, PeerLinkError> in
      do throws(PeerLinkError) { return .success(try await body()) } catch {
        return .failure(error)
      }
    }
    guard let result else { throw Silence() }
    return try result.get()
  }
}
