import CRDTKit

/// Provides the user's credential for a server, and a new one if the server rejects it.
///
/// ``SharedCredentials`` implements it with a closure. Contract:
/// - Concurrent requests to replace the same credential get the same new one, from one
///   exchange with the server.
/// - If the rejected credential is no longer the newest, the request returns the newest
///   without an exchange.
/// - Methods may be called from any task. If the task is cancelled, the call soon throws
///   ``CredentialError/cancelled``, and other waiting tasks still get the credential.
/// - If the provider can forget, for example when the user signs out, all earlier requests
///   throw ``CredentialError/signedOut``.
/// - A failed exchange isn't stored: the next request begins another one.
public protocol CredentialProvider: Sendable {
  /// The newest credential.
  func credential() async throws(CredentialError) -> Credential

  /// A newer credential than one that a server has rejected.
  func credential(replacing refused: Credential) async throws(CredentialError) -> Credential
}

/// A secret that authenticates the user, which neither descriptions nor mirrors show.
///
/// Comparisons take a time that does not depend on where two credentials differ. When the
/// last copy is gone, the bytes are overwritten. The strings that ``secret`` returns, and
/// the one that it was created from, can't be overwritten.
public struct Credential: Hashable, Sendable {
  private let stored: SecretBytes

  /// Creates a credential.
  public init(_ secret: String) {
    stored = SecretBytes(secret.utf8)
  }

  /// The secret to send to the server, such as a token.
  ///
  /// Don't log it.
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
  /// A constant text that does not show the secret.
  public var description: String { "a credential" }
  /// A constant text that does not show the secret.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a credential is not available.
@nonexhaustive
public enum CredentialError: Error, Hashable, Sendable {
  /// The user must sign in.
  case signedOut
  /// It is not available now, for example without a network, but may be later.
  case unavailable(reason: String)
  /// The task was cancelled.
  case cancelled
}

extension CredentialError: CustomStringConvertible {
  /// What is wrong and what to do, as a clause.
  public var description: String {
    switch self {
    case .signedOut: "nobody is signed in: ask the user to sign in"
    case .unavailable(let reason): "there is no credential now: \(reason.visible)"
    case .cancelled: "fetching the credential was cancelled"
    }
  }
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
  /// The requests that wait for the current fetch.
  private var waiting: [Int: AsyncStream<Outcome>.Continuation] = [:]
  private var lastWaiting = 0
  /// The number of calls of ``forget()``.
  private var timesForgotten = 0

  /// Creates credentials, optionally with a known one.
  ///
  /// The closure fetches a new one. It receives the rejected one, if there was one. It
  /// continues if the requesting tasks are cancelled; ``forget()`` cancels it.
  public init(
    _ known: Credential? = nil,
    fetch: @escaping @Sendable (_ refused: Credential?) async throws(CredentialError) -> Credential
  ) {
    newest = known
    self.fetch = fetch
  }

  /// The newest credential, which is fetched if none is known.
  public func credential() async throws(CredentialError) -> Credential {
    if let newest { return newest }
    return try await fetched(replacing: nil)
  }

  /// A newer credential than one that a server has rejected.
  public func credential(
    replacing refused: Credential
  ) async throws(CredentialError) -> Credential {
    if let newest, newest != refused { return newest }
    return try await fetched(replacing: refused)
  }

  /// Forgets the credential, for example when the user signs out.
  ///
  /// Waiting requests throw ``CredentialError/signedOut`` at once. The current fetch is
  /// cancelled, and its result is not used. Later requests start again. Credentials that
  /// were returned before can't be revoked: cancel the requests that use them.
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
    // The loop ends early for a cancelled task; the fetch continues for others.
    for await outcome in outcomes {
      // The outcome may be older than a call of `forget()`.
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
    // Don't store a credential that was forgotten meanwhile.
    guard fetching != nil, number == lastFetch else { return }
    fetching = nil
    // Store it before others receive it: a request that replaces it must find it here.
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
