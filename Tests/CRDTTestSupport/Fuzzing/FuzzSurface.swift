/// A way in which bytes from outside come in, and what must hold whatever they are.
///
/// `.ci/fuzz` runs each with millions of inputs that the coverage of the code guides; tests
/// replay what was found.
package enum FuzzSurface: String, CaseIterable, Sendable {
  /// Encoded values of every type, in both versions of the format.
  case decoders
  /// A session that a peer sends frames, and what it answers.
  case sessions
  /// A relay's folder in which somebody has put files.
  case relays
  /// A store one of whose files was replaced: opening, verifying, salvaging.
  case opening

  /// Takes an input in; throws what doesn't hold.
  ///
  /// Checksums are made to fit, so that inputs get past them.
  package func run(_ input: [UInt8]) throws(Discrepancy) {
    switch self {
    case .decoders: try Self.decode(input)
    case .sessions: try Self.talk(FuzzInput(input))
    case .relays: try Self.relay(FuzzInput(input))
    case .opening: try Self.open(FuzzInput(input))
    }
  }

  /// Inputs to begin with.
  package func seeds() throws -> [[UInt8]] {
    switch self {
    case .decoders: Self.decoderSeeds
    case .sessions: try Self.sessionSeeds()
    case .relays: try Self.relaySeeds()
    case .opening: try Self.openingSeeds()
    }
  }
}
