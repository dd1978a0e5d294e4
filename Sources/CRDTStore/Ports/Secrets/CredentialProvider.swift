/// Gives what a server knows the user by, and a new one when the server refuses it.
///
/// ``SharedCredentials`` makes one of a closure. Contract:
/// - Several that ask at once for a new one in place of the same get the same, from
///   one exchange with the server.
/// - Where the one that was refused is no longer the newest, the newest is given, and
///   no exchange is made.
/// - It may be asked from any task. When that is cancelled it throws
///   ``CredentialError/cancelled`` soon, and others that wait still get theirs.
/// - Where it can forget, as when the user signs out, nobody gets a credential any more that
///   was asked for before: that is ``CredentialError/signedOut``.
/// - A failed exchange isn't remembered: whoever asks next begins another one.
public protocol CredentialProvider: Sendable {
  /// The newest credential.
  func credential() async throws(CredentialError) -> Credential

  /// A newer credential than one that a server has refused.
  func credential(replacing refused: Credential) async throws(CredentialError) -> Credential
}
