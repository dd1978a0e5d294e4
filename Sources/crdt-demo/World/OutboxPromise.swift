import CRDTKit
import CRDTStore

/// A change of a note that a user was told is safe.
struct OutboxPromise: Equatable, Sendable {
  /// The event that it is; `nil` where someone else made it at the server.
  var dot: Dot?
  var name: String
  var likes = 0
  var tag: String?
  /// The title that it was given, and when: by the server's clock, or as an app stamped it,
  /// which is later than its clock where that had shown more.
  var title: String?
  var milliseconds: UInt64 = 0
  /// What was shown when it was given.
  var shown: String?
  /// What the app asks later what became of it.
  var receipt: Receipt?

  /// The operations that answer for it: they may answer for others as well.
  var operations: [OperationID] = []
  /// What of it lost before it was safe: the server's change came first.
  var losses: [OutboxLoss] = []
}

/// An operation with its changes that lost, and the title that was shown instead.
struct OutboxLoss: Equatable, Sendable {
  var operation: OutboxOperation
  var shown: String?
}
