/// Credentials that are fetched by a closure, at most one fetch at a time.
///
///     let credentials = SharedCredentials { refused throws(CredentialError) in
///       try await server.refresh(token)
///     }
public actor SharedCredentials: CredentialProvider {
  private typealias Outcome = Result<Credential, CredentialError>

  private let fetch: @Sendable (Credential?) async throws(CredentialError) -> Credential
  private var newest: Credential?
  private var fetching: Task<Void, Never>?
  private var lastFetch = 0
  /// Those who wait for the fetch that goes on.
  private var waiting: [Int: AsyncStream<Outcome>.Continuation] = [:]
  private var lastWaiting = 0
  /// How often all was forgotten.
  private var timesForgotten = 0

  /// Creates credentials, of which one may be known from before.
  ///
  /// The closure gets a new one; it is given the one that was refused, if there was
  /// one. It goes on when those who asked are cancelled; ``forget()`` cancels it.
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
  ///
  /// Whoever waits for a credential gets ``CredentialError/signedOut``, at once, and the fetch
  /// that goes on is cancelled; what it comes to is not used. Who asks after this begins anew.
  /// What was given before can't be taken back: cancel the requests that use it.
  public func forget() {
    newest = nil
    timesForgotten += 1
    fetching?.cancel()
    fetching = nil
    tell(.failure(.signedOut))
  }

  private func fetched(replacing refused: Credential?) async throws(CredentialError) -> Credential {
    if fetching == nil { begin(replacing: refused) }
    let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
    lastWaiting += 1
    let (number, period) = (lastWaiting, timesForgotten)
    waiting[number] = continuation
    defer { waiting[number] = nil }
    // The loop ends early for one who is cancelled, and the fetch goes on for others.
    for await outcome in outcomes {
      // It may have been told before, and all be forgotten since.
      guard period == timesForgotten else { throw .signedOut }
      return try outcome.get()
    }
    throw .cancelled
  }

  private func begin(replacing refused: Credential?) {
    lastFetch += 1
    let number = lastFetch
    fetching = Task { [fetch] in
      var outcome: Outcome
      do throws(CredentialError) {
        outcome = .success(try await fetch(refused))
      } catch {
        outcome = .failure(error)
      }
      take(outcome, of: number)
    }
  }

  private func take(_ outcome: Outcome, of number: Int) {
    // What was forgotten meanwhile isn't to come back.
    guard fetching != nil, number == lastFetch else { return }
    fetching = nil
    // Before anybody hears of it: whoever has it refused in turn must find it here.
    if case .success(let credential) = outcome { newest = credential }
    tell(outcome)
  }

  private func tell(_ outcome: Outcome) {
    for continuation in waiting.values {
      continuation.yield(outcome)
      continuation.finish()
    }
    waiting = [:]
  }
}
