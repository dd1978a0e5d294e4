/// What a collection's records have to do with a server.
///
/// It holds for all that the app writes: in transactions, by drafts, undos and edits of the
/// document. What comes from peers and relays, or from the server, is no write of the app.
public enum ServerAccess: Hashable, Sendable {
  /// Nothing: changes go to peers only, which merge them.
  case none
  /// Changes are queued for the server as well, and its changes are merged.
  ///
  /// Stores that have the same server may exchange such records as peers as well, but
  /// not counters: a server's number doesn't say whose counts are in it, so what a peer
  /// has counted and sent is counted again by who hears of it from both.
  case queued
  /// They are the server's, and only read here.
  case readOnly
  /// Changes are made at the server at once or not at all: what must never wait in a
  /// queue, as a payment.
  ///
  /// A write and an edit are refused; see ``Outbox/performOnline(idempotencyKey:_:)``.
  case onlineOnly
}
