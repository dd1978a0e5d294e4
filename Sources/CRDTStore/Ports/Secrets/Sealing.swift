/// Seals bytes so that nobody else reads them, or changes them unnoticed.
///
/// An adapter uses what the platform has, as AES-GCM or ChaCha20-Poly1305 with a
/// random nonce each time. Contract:
/// - What was sealed opens with the same key and context, and to the same bytes; any
///   bytes can be sealed, none too.
/// - Whatever else is opened is refused as ``SealingError/notAuthentic``: bytes that
///   were changed, cut, lengthened, or sealed with another key or for another context.
///   It never traps, and never gives bytes that it could not check.
/// - Sealing the same twice gives different bytes, so that nobody sees that it is.
/// - What is sealed is at most ``overheadBytes`` longer.
/// - It bears as many seals as there will be with one key. With random nonces of 96 bits, as
///   AES-GCM and ChaCha20-Poly1305 have, that is 2³², for all that the key seals: a store
///   seals each commit that is written alone, a ``BlobStore`` each blob twice, a relay each
///   file of each device, a ``SealedLink`` each frame. ``StoreStatistics/seals`` says how many a
///   store has made, ``BlobStore/seals()`` a store of blobs; before there are too many, exchange the key: see ``RotatingSealing``.
/// - Methods may be called from any thread; they don't wait for the user: whoever
///   makes the sealing has the key.
public protocol Sealing: Sendable {
  /// How many bytes sealing adds at most.
  var overheadBytes: Int { get }

  /// Seals bytes for a context, which isn't in the result but needed to open it.
  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8]

  /// Opens what was sealed for a context.
  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8]
}

/// Why bytes could not be sealed or opened.
public enum SealingError: Error, Hashable, Sendable {
  /// The bytes are not what was sealed with this key and this context.
  case notAuthentic
  /// The key isn't to be had.
  case key(KeyProviderError)
  /// Something else went wrong.
  case failed(reason: String)
}

/// A sealing with a new key that still opens what was sealed with former ones.
///
///     options.sealing = RotatingSealing(newSealing, opening: [oldSealing])
///     let store = try await Store.open(at: path, options: options)
///     try await store.reseal()                  // from now on the new key alone opens it
///
/// Likewise with ``BlobStore/reseal()``. All devices of a relay need it before the first of them publishes with the new key.
public struct RotatingSealing: Sealing {
  private let current: any Sealing
  private let former: [any Sealing]

  /// Creates a sealing that seals with one key and opens with others as well.
  public init(_ current: any Sealing, opening former: [any Sealing]) {
    self.current = current
    self.former = former
  }

  /// How many bytes the new key's sealing adds at most.
  public var overheadBytes: Int { current.overheadBytes }

  /// Seals bytes for a context with the new key.
  public func seal(
    _ bytes: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try current.seal(bytes, for: context)
  }

  /// Opens what was sealed for a context with any of the keys, the new one first.
  public func open(
    _ sealed: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    for sealing in [current] + former {
      do throws(SealingError) { return try sealing.open(sealed, for: context) } catch {
        guard error == .notAuthentic else { throw error }
      }
    }
    throw .notAuthentic
  }
}
