import CRDTKit
import CRDTStore

/// A change of a note that a user was told is safe.
struct OutboxPromise: Equatable, Sendable {
  /// The event that it is; `nil` where someone else made it at the server.
  var dot: Dot?
  var name: String
  var likes = 0
  var tag: String?

  /// What the server is told of it, where it is known: what assigns may be told together
  /// with what came before, or not at all.
  var operation: OperationID? {
    guard let dot, likes != 0 || tag != nil else { return nil }
    return OperationID(dot: dot, record: OutboxNote.record(name))
  }
}
