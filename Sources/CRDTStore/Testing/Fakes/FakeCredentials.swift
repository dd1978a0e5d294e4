public import CRDTStore

/// Makes credentials `token-1`, `token-2`, …, and fails when it is told to.
public final class FakeCredentials: CredentialProvider {
  private struct State {
    var number = 1
    var failure: CredentialError?
    var replaced = 0
  }

  private let state = Locked(State())

  /// Creates a provider whose newest credential is `token-1`.
  public init() {}

  /// What asking for a new one fails with; `nil` for nothing.
  public var failure: CredentialError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// How many new ones were made.
  public var replacedCount: Int { state.withLock { $0.replaced } }

  /// The newest credential.
  public func credential() async throws(CredentialError) -> Credential {
    state.withLock { Credential("token-\($0.number)") }
  }

  /// A newer credential than one that was refused.
  public func credential(
    replacing refused: Credential
  ) async throws(CredentialError) -> Credential {
    try state.withLock { (state) throws(CredentialError) in
      guard refused == Credential("token-\(state.number)") else {
        return Credential("token-\(state.number)")
      }
      if let failure = state.failure { throw failure }
      state.number += 1
      state.replaced += 1
      return Credential("token-\(state.number)")
    }
  }
}
