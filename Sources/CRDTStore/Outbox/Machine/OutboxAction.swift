/// What follows from something that happened to an outbox, beside what is to be kept.
public enum OutboxAction: Hashable, Sendable {
  /// A new operation was taken into one that waited, and is answered for by that.
  case coalesced(OperationID, into: OperationID)
  /// The server has done an operation, and its record has the version there.
  case accepted(OutboxOperation, serverVersion: String?)
  /// An operation failed for good, and is kept until it is retried or discarded.
  case deadLettered(OutboxOperation)
  /// The server has a record that the operation doesn't know of.
  ///
  /// Take the record in, then call ``OutboxMachine/rebased(_:to:at:using:)`` with what
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
