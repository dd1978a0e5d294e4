/// Where the changes of a collection's records go, and whence they come.
public enum SyncPolicy: Hashable, Sendable {
  /// To peers, which merge them.
  case peers
  /// To peers, and in the outbox for a server.
  case queued
  /// The server's: records are only read here. "Always server wins", with no conflict.
  case readOnly
  /// To a server at once or not at all: what must never wait in a queue, as a payment.
  /// A write is refused; see ``Outbox/performOnline(_:)``.
  case onlineOnly
}
