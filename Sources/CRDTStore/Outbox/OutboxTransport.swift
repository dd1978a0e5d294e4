import CRDTKit

extension Outbox {
  /// A transport to a server that knows nothing of replicas: it pushes operations, and pulls
  /// changed records.
  ///
  /// An adapter connects to one server on behalf of one user. Its contract:
  ///
  /// - The server applies operations in the order of the batch, each as a whole or not at
  ///   all.
  /// - It returns an answer for each operation, in any order, and never turns the answer to
  ///   one into an error for all. If something goes wrong, an operation that was accepted
  ///   before is either answered, or sent again.
  /// - If the server has accepted an ``Outbox/Envelope/id`` before, it repeats its answer
  ///   and does not apply the operation again. With a server that can't detect this, a lost
  ///   answer means that the operation is applied twice.
  /// - An error means that the outcome of every operation of the batch is unknown, unless its
  ///   kind says more. A connection that is down is ``RemoteError/Kind/networkUnavailable``.
  ///   The adapter throws ``RemoteError/Kind/timeout`` if no answer arrives in time. An
  ///   outbox waits for ``Outbox/Options/callLimit`` at most, whatever the adapter does.
  /// - If the task is cancelled, a call soon throws ``RemoteError/Kind/cancelled``.
  /// - Calls may overlap, and may be made from any thread.
  public protocol Transport: Sendable {
    /// Sends operations to the server, and returns its answers.
    ///
    /// An operation without an answer is in doubt, and is sent again.
    ///
    /// - Parameter operations: At most 100, of different records.
    /// - Returns: An answer for each operation that the server answered.
    /// - Throws: ``RemoteError`` if the outcome of all of them is unknown.
    func push(_ operations: [Outbox.Envelope]) async throws(RemoteError) -> [Outbox.Answer]

    /// Fetches a page of the records of a collection that have changed since the previous
    /// page, including deleted ones.
    ///
    /// A change that is made between two pages may be in either or both, but is never
    /// missing.
    ///
    /// - Parameter request: The collection, and where the last page ended.
    /// - Returns: The page, and the cursor of the next one.
    /// - Throws: ``RemoteError`` if there is no page.
    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage
  }
}

/// Why a request to a server failed.
///
/// The answer to a single operation is an ``Outbox/Outcome`` instead.
public struct RemoteError: Error, Hashable, Sendable {
  /// What went wrong.
  public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The server can't be reached: nothing was sent.
    case networkUnavailable
    /// The server requires new credentials, and has applied nothing.
    case unauthorized
    /// No answer arrived in time, or the connection broke: the server may or may not have
    /// processed the request.
    case timeout
    /// The server rejected the whole request and applied nothing, as with status 400. It
    /// would reject it again.
    case serverRejected
    /// The server failed or is overloaded, as with status 5xx or 429: it may or may not
    /// have processed the request.
    case serverFailed
    /// The local state can't be encoded as a request.
    case corruptLocalState
    /// Another error: the server may or may not have processed the request.
    case unknown
    /// The caller cancelled the request: the server may or may not have processed it.
    case cancelled
  }

  /// What went wrong.
  public var kind: Kind
  /// A message that says what went wrong.
  public var message: String
  /// How long the server asks you to wait before the next request, if it does.
  public var retryAfter: Duration?

  /// Creates an error.
  public init(_ kind: Kind, _ message: String = "", retryAfter: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.retryAfter = retryAfter
  }
}

extension RemoteError: CustomStringConvertible {
  /// A description of the kind, and the message.
  public var description: String {
    let words =
      switch kind {
      case .networkUnavailable: "the remote can't be reached"
      case .unauthorized: "the remote wants other credentials"
      case .timeout: "the remote didn't answer in time"
      case .serverRejected: "the remote refused"
      case .serverFailed: "the remote answered that it failed"
      case .corruptLocalState: "what is kept here can't be sent"
      case .unknown: "the remote failed"
      case .cancelled: "it was cancelled"
      }
    return message.isEmpty ? words : "\(words): \(message.visible)"
  }
}

extension RemoteError: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, message, retryAfterMillis
  }

  /// Decodes an error.
  ///
  /// An unknown kind becomes ``Kind/unknown``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .kind)
    let hint = try container.decodeIfPresent(UInt64.self, forKey: .retryAfterMillis)
    self.init(
      Kind(rawValue: name) ?? .unknown,
      try container.decodeIfPresent(String.self, forKey: .message) ?? "",
      retryAfter: hint.map { .milliseconds($0) })
  }

  /// Encodes the kind by name, the message and the hint in milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(message, forKey: .message)
    try container.encodeIfPresent(retryAfter?.clampedMilliseconds, forKey: .retryAfterMillis)
  }
}
