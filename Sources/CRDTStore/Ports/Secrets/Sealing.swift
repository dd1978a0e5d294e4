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
