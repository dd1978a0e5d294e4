import CRDTKit

/// Encrypts and authenticates bytes, so that nobody else can read them, or change them
/// unnoticed.
///
/// An adapter uses the platform's algorithms, such as AES-GCM or ChaCha20-Poly1305, with a
/// random nonce each time. Contract:
/// - Sealed bytes open with the same key and context, to the same bytes. Any bytes can be
///   sealed, including none.
/// - Opening other bytes throws ``SealingError/notAuthentic``: bytes that were changed,
///   cut, lengthened, or sealed with another key or for another context. It never traps,
///   and never returns unverified bytes.
/// - Sealing the same bytes twice gives different results, so that nobody can see that they
///   are equal.
/// - The result is at most ``overheadBytes`` longer.
/// - It supports as many seals as one key will make. With random nonces of 96 bits, as in
///   AES-GCM and ChaCha20-Poly1305, that is 2³² for all uses of the key. A store seals each
///   commit that is written alone, a ``BlobStore`` each blob twice, a relay each file of
///   each device, a ``SealedLink`` each frame. ``Store/Statistics/seals`` counts the seals
///   of a store, ``BlobStore/seals()`` those of a blob store. Replace the key before there
///   are too many: see ``RotatingSealing``. The counts are of its newest key. A sealing of
///   your own that knows several keys counts as one key.
/// - Methods may be called from any thread. They don't wait for the user, because a sealing
///   already has its key.
public protocol Sealing: Sendable {
  /// The greatest number of bytes that sealing adds.
  var overheadBytes: Int { get }

  /// Seals bytes for a context, which is not part of the result, but required to open it.
  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8]

  /// Opens bytes that were sealed for a context.
  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8]
}

/// Why bytes could not be sealed or opened.
@nonexhaustive
public enum SealingError: Error, Hashable, Sendable {
  /// The bytes were not sealed with this key and this context, or were changed.
  case notAuthentic
  /// The key is not available.
  case key(KeyProviderError)
  /// Something else went wrong.
  case failed(reason: String)
}

extension SealingError: CustomStringConvertible {
  /// What is wrong, as a clause.
  public var description: String {
    switch self {
    case .notAuthentic: "the bytes are not what was sealed with this key at this place"
    case .key(let error): error.description
    case .failed(let reason): reason.visible
    }
  }
}

/// A sealing with a new key that still opens bytes that were sealed with former keys.
///
///     options.sealing = RotatingSealing(newSealing, opening: [oldSealing])
///     let store = try await Store.open(at: path, options: options)
///     try await store.reseal()                  // from now on the new key alone opens it
///
/// Likewise with ``BlobStore/reseal()``. All devices of a relay need it before the first of them
/// publishes with the new key.
public struct RotatingSealing: Sealing {
  private let current: any Sealing
  private let former: [any Sealing]

  /// Creates a sealing that seals with one key, and also opens with others.
  public init(_ current: any Sealing, opening former: [any Sealing]) {
    self.current = current
    self.former = former
  }

  /// The greatest number of bytes that the new key's sealing adds.
  public var overheadBytes: Int { current.overheadBytes }

  /// Seals bytes for a context with the new key.
  public func seal(
    _ bytes: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try current.seal(bytes, for: context)
  }

  /// Opens bytes that were sealed for a context with any of the keys; tries the new one
  /// first.
  public func open(
    _ sealed: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try openTelling(sealed, for: context).bytes
  }

  /// Opens bytes, and tells whether a former key has sealed them.
  func openTelling(
    _ sealed: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> (bytes: [UInt8], isOfFormerKey: Bool) {
    for (place, sealing) in ([current] + former).enumerated() {
      do throws(SealingError) { return (try sealing.open(sealed, for: context), place > 0) } catch {
        guard error == .notAuthentic else { throw error }
      }
    }
    throw .notAuthentic
  }
}
