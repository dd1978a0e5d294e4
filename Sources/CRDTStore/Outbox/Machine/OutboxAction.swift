/// What follows from something that happened to an outbox, beside what is to be kept.
public enum OutboxAction: Hashable, Sendable {
  /// A new operation was taken into one that waited, and is answered for by that.
  case coalesced(OperationID, into: OperationID)
  /// The server has done an operation, and its record has the version there.
  case accepted(OutboxOperation, serverVersion: String?)
  /// An operation lost, as a whole or in part, and the server is not told what lost: a later
  /// write stands in its place, or what it changed is gone.
  ///
  /// It is given with just the changes that lost. What else it changed is still sent.
  case superseded(OutboxOperation)
  /// An operation failed for good, and is kept until it is retried or discarded.
  case deadLettered(OutboxOperation)
  /// An operation that had failed for good is sent again, with these changes.
  case retried(OutboxOperation)
  /// An operation that had failed for good was given up by the app.
  case discarded(OutboxOperation)
  /// The server has a record that the operation doesn't know of.
  ///
  /// Take the record in, then call ``OutboxMachine/rebased(_:to:losing:at:using:)`` with what
  /// is left to be sent; until then the operations of the record wait.
  case rebase(OutboxOperation, ServerRecord)
  /// So many operations wait: more than are expected to. It is said once each time
  /// that their number gets there.
  case backlog(count: Int)
  /// The server wants other credentials.
  ///
  /// Nothing is sent until ``OutboxMachine/credentialsRenewed()`` is called.
  case credentialsNeeded
}
