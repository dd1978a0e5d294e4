/// What goes wrong with a server, or on the way to it, while a transport is checked.
public enum TransportFault: Hashable, Sendable {
  /// No connection can be made, as where nobody listens.
  case noConnection
  /// The connection breaks after the request was sent, and before the answer.
  case brokenConnection
  /// The server takes the request and never answers.
  case silence
  /// The server answers every request with a status, and a `Retry-After` of so many seconds
  /// where there is one.
  case status(Int, retryAfterSeconds: Int? = nil)
}
