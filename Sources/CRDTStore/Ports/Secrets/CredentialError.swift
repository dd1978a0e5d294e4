/// Why a credential is not to be had.
public enum CredentialError: Error, Hashable, Sendable {
  /// The user must sign in.
  case signedOut
  /// It can't be had now, as without a network: later it can.
  case unavailable(reason: String)
  /// The task was cancelled.
  case cancelled
}
