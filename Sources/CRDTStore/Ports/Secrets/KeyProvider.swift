/// Keeps keys where the platform keeps secrets: a keychain or keystore.
///
/// Contract:
/// - A name that has no key is no error: it is `nil`.
/// - Of one name there is one key: when several make one at once, all get the same,
///   and it is kept before any of them gets it.
/// - A key that is there is never replaced. Where it has another length than was asked for,
///   that is ``KeyProviderError/otherLength(byteCount:)``: it may be the only one that opens
///   what was sealed.
/// - Keys outlive the process. A removed one can't be had again.
/// - It may be asked from any task, ends soon when that is cancelled, and may ask the
///   user, so it may take long. It never makes up a key because one can't be read.
public protocol KeyProvider: Sendable {
  /// The key of a name; `nil` if there is none.
  func key(named name: String) async throws(KeyProviderError) -> SecretKey?

  /// The key of a name, which has so many bytes; where there is none, one of random bytes is
  /// made.
  func makeKey(named name: String, byteCount: Int) async throws(KeyProviderError) -> SecretKey

  /// Removes the key of a name, if there is one.
  func removeKey(named name: String) async throws(KeyProviderError)
}
