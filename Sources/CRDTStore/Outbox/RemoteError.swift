import CRDTKit

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
