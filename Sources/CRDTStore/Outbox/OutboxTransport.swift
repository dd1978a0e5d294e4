import CRDTKit

/// The way to a server that knows nothing of replicas: it is told of operations, and
/// asked for records that have changed.
///
/// An adapter speaks to one server on behalf of one user. What it promises:
///
/// - Operations are done in the order of the batch; each as a whole or not at all.
/// - It answers for each operation by itself, in any order, and never turns what it
///   heard about one into an error for all: an operation that was accepted before
///   something went wrong is answered for, or is sent again.
/// - An operation whose ``OperationEnvelope/id`` the server has accepted before is
///   answered as it was then, and not done again; with a server that can't tell,
///   an answer that was lost means that the operation has its effect twice.
/// - An error says that nothing is known of any operation of the batch, unless its
///   kind says more. A way that is down is ``RemoteError/Kind/networkUnavailable``;
///   no answer in time is ``RemoteError/Kind/timeout``, of the adapter's making. An outbox
///   waits for ``OutboxOptions/callLimit`` at most, whatever the adapter does.
/// - Cancelling the task ends a call soon, with ``RemoteError/Kind/cancelled``.
/// - Calls may overlap, and come from any thread.
public protocol OutboxTransport: Sendable {
  /// Tells the server of operations, and gives what it answered about each.
  ///
  /// An operation that the answers leave out is in doubt, and is sent again.
  ///
  /// - Parameter operations: At most 100, of different records.
  /// - Returns: An answer for each operation that the server answered for.
  /// - Throws: ``RemoteError`` where nothing is known of any of them.
  func push(_ operations: [OperationEnvelope]) async throws(RemoteError) -> [OperationAnswer]

  /// Asks for a page of the records of a collection that have changed since the one
  /// before, deleted ones among them.
  ///
  /// A change that is made between two pages may come in either or both, but is
  /// never left out.
  ///
  /// - Parameter request: The collection, and where the last page ended.
  /// - Returns: The page, and where to go on.
  /// - Throws: ``RemoteError`` where there is no page.
  func pull(_ request: PullRequest) async throws(RemoteError) -> PullPage
}

/// Why a remote could not be asked, or did not answer what it was asked.
///
/// What it answered about a single operation is an ``OperationOutcome`` instead.
public struct RemoteError: Error, Hashable, Sendable {
  /// What went wrong.
  public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
    /// There is no way to the remote: nothing was sent.
    case networkUnavailable
    /// The remote wants other credentials, and has done nothing.
    case unauthorized
    /// No answer came in time, or the connection broke before: the remote may have done
    /// what it was asked, or not.
    case timeout
    /// The remote answered that it won't do what it was asked as a whole, and has done
    /// nothing: it would say so again, as by a status 400.
    case serverRejected
    /// The remote answered that it failed, or that it can't do anything now, as by a
    /// status 5xx or 429: it may have done what it was asked, or not.
    case serverFailed
    /// What is kept here can't be made into a request.
    case corruptLocalState
    /// Something else: the remote may have done what it was asked, or not.
    case unknown
    /// The one who asked has given up: the remote may have done it, or not.
    case cancelled
  }

  /// What went wrong.
  public var kind: Kind
  /// What went wrong, in words.
  public var message: String
  /// How long the remote wants to be left alone, if it said so.
  public var retryAfter: Duration?

  /// Creates an error.
  public init(_ kind: Kind, _ message: String = "", retryAfter: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.retryAfter = retryAfter
  }
}

extension RemoteError: CustomStringConvertible {
  /// The kind in words, and the message.
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

  /// Decodes the kind by name; one that isn't known is ``Kind/unknown``.
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

extension Duration {
  /// The whole milliseconds of the duration, none if it is negative.
  var clampedMilliseconds: UInt64 { UInt64(clamping: wholeMilliseconds) }
}
