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

/// What a server knows the user by, which neither descriptions nor mirrors show.
///
/// Two are compared byte by byte, in a time that tells nothing of where they differ. When nobody
/// has the credential any more, its bytes are overwritten; texts that were made of them, as by
/// ``secret``, can't be, nor can the one that it was made from.
public struct Credential: Hashable, Sendable {
  private let stored: SecretBytes

  /// Creates a credential.
  public init(_ secret: String) {
    stored = SecretBytes(secret.utf8)
  }

  /// What is sent to the server, as a token: not for logs.
  public var secret: String { stored.withBytes { String(decoding: $0, as: UTF8.self) } }

  /// Whether two credentials are the same.
  public static func == (first: Credential, second: Credential) -> Bool {
    first.stored.isEqual(to: second.stored)
  }

  /// Feeds the credential to a hasher.
  public func hash(into hasher: inout Hasher) {
    stored.withBytes { hasher.combine(bytes: $0) }
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// That it is one.
  public var description: String { "a credential" }
  /// That it is one.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a credential is not to be had.
public enum CredentialError: Error, Hashable, Sendable {
  /// The user must sign in.
  case signedOut
  /// It can't be had now, as without a network: later it can.
  case unavailable(reason: String)
  /// The task was cancelled.
  case cancelled
}

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
