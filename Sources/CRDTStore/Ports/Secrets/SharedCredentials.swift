/// Credentials that are fetched by a closure, at most one fetch at a time.
///
///     let credentials = SharedCredentials { refused throws(CredentialError) in
///       try await server.refresh(token)
///     }
public actor SharedCredentials: CredentialProvider {
  private typealias Outcome = Result<Credential, CredentialError>

  private let fetch: @Sendable (Credential?) async throws(CredentialError) -> Credential
  private var newest: Credential?
  private var fetching: Task<Outcome, Never>?
  private var lastFetch = 0

  /// Creates credentials, of which one may be known from before.
  ///
  /// The closure gets a new one; it is given the one that was refused, if there was
  /// one. It goes on when those who asked are cancelled.
  public init(
    _ known: Credential? = nil,
    fetch: @escaping @Sendable (_ refused: Credential?) async throws(CredentialError) -> Credential
  ) {
    newest = known
    self.fetch = fetch
  }

  /// The newest credential; it is fetched where none is known.
  public func credential() async throws(CredentialError) -> Credential {
    if let newest { return newest }
    return try await fetched(replacing: nil)
  }

  /// A newer credential than one that a server has refused.
  public func credential(
    replacing refused: Credential
  ) async throws(CredentialError) -> Credential {
    if let newest, newest != refused { return newest }
    return try await fetched(replacing: refused)
  }

  /// Forgets what is known, as when the user signs out.
  public func forget() {
    newest = nil
    fetching = nil
  }

  private func fetched(replacing refused: Credential?) async throws(CredentialError) -> Credential {
    let task = fetching ?? begin(replacing: refused)
    let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
    Task {
      continuation.yield(await task.value)
      continuation.finish()
    }
    // The loop ends early for one who is cancelled, and the fetch goes on for others.
    for await outcome in outcomes { return try outcome.get() }
    throw .cancelled
  }

  private func begin(replacing refused: Credential?) -> Task<Outcome, Never> {
    lastFetch += 1
    let number = lastFetch
    let task = Task { [fetch] in
      var outcome: Outcome
      do throws(CredentialError) {
        outcome = .success(try await fetch(refused))
      } catch {
        outcome = .failure(error)
      }
      // Before anybody hears of it: whoever has it refused in turn must find it here.
      take(outcome, of: number)
      return outcome
    }
    fetching = task
    return task
  }

  private func take(_ outcome: Outcome, of number: Int) {
    // What was forgotten meanwhile isn't to come back.
    guard fetching != nil, number == lastFetch else { return }
    fetching = nil
    if case .success(let credential) = outcome { newest = credential }
  }
}
