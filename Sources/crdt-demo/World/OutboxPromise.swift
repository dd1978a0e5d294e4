import CRDTKit
import CRDTStore

/// A change of a note that a user was told is safe.
struct OutboxPromise: Equatable, Sendable {
  /// The event that it is; `nil` where someone else made it at the server.
  var dot: Dot?
  var name: String
  var likes = 0
  var tag: String?

  /// The operations that answer for it: they may answer for others as well.
  var operations: [OperationID] = []
}
