public import CRDTStore

/// A provider of credentials `token-1`, `token-2`, … that fails on demand.
public final class FakeCredentials: CredentialProvider {
  private struct State {
    var number = 1
    var failure: CredentialError?
    var replaced = 0
  }

  private let state = Locked(State())

  /// Creates a provider whose newest credential is `token-1`.
  public init() {}

  /// The error of requests for a new credential; `nil` for none.
  public var failure: CredentialError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The number of new credentials.
  public var replacedCount: Int { state.withLock { $0.replaced } }

  /// The newest credential.
  public func credential() async throws(CredentialError) -> Credential {
    state.withLock { Credential("token-\($0.number)") }
  }

  /// A newer credential than one that was rejected.
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

/// A key provider in memory that fails on demand.
public final class FakeKeyProvider: KeyProvider {
  private struct State {
    var keys: [String: SecretKey] = [:]
    var failure: KeyProviderError?
  }

  private let state = Locked(State())

  /// Creates a provider without keys.
  public init() {}

  /// The error of all calls; `nil` for none.
  public var failure: KeyProviderError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The key of a name; `nil` if there is none.
  public func key(named name: String) async throws(KeyProviderError) -> SecretKey? {
    try state.withLock { (state) throws(KeyProviderError) in
      if let failure = state.failure { throw failure }
      return state.keys[name]
    }
  }

  /// The key of a name; it is created from random bytes if there is none.
  public func makeKey(
    named name: String, byteCount: Int
  ) async throws(KeyProviderError) -> SecretKey {
    try state.withLock { (state) throws(KeyProviderError) in
      if let failure = state.failure { throw failure }
      if let key = state.keys[name] {
        let found = key.withBytes(\.count)
        guard found == byteCount else { throw .otherLength(byteCount: found) }
        return key
      }
      let key = SecretKey((0..<max(0, byteCount)).map { _ in UInt8.random(in: 0...255) })
      state.keys[name] = key
      return key
    }
  }

  /// Removes the key of a name, if there is one.
  public func removeKey(named name: String) async throws(KeyProviderError) {
    try state.withLock { (state) throws(KeyProviderError) in
      if let failure = state.failure { throw failure }
      state.keys[name] = nil
    }
  }
}
