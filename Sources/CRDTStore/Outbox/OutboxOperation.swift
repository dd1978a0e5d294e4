public import CRDTKit

/// A change of one record that a server is to be told: queued in the commit that
/// made the change, and kept until the server has answered for it.
public struct OutboxOperation: Hashable, Sendable {
  /// Which operation it is: what the server knows it by.
  public let id: OperationID
  /// The counters of the events that the commit made, by the replica of ``id``.
  ///
  /// Where a later commit was taken into the operation, they reach to its last.
  public var dots: ClosedRange<UInt64>
  /// What is done to the record as a whole.
  public var kind: OperationKind
  /// When the commit was made, in milliseconds since 1970 by the clock here.
  public var createdMilliseconds: UInt64
  /// What is done to the record's fields, in order.
  ///
  /// No path leads to another one's field. Of a deletion, it is what its commit had done
  /// before, and what commits after it did to the record and deleted again: the server is
  /// sent it only where the record stays after all.
  public var changes: [Document.FieldChange]
  /// The version of the record at the server that the change was made on; `nil`
  /// where the server has none, or gives none.
  public var baseVersion: String?
  /// How often the server has answered that it could not do it, or has failed over it.
  public var attempts: Int
  /// When it may be sent again, in milliseconds since 1970; 0 for at once.
  ///
  /// Where the server failed over it, that is when it last did so and that counted.
  public var nextAttemptMilliseconds: UInt64
  /// Whether it is to be sent.
  public var state: State

  /// Whether an operation is to be sent.
  public enum State: Hashable, Sendable {
    /// It waits to be sent, or for an answer.
    case pending
    /// It failed for good, and is kept until someone retries or discards it.
    case dead(OperationFailure)
  }

  /// Creates an operation that has not been sent.
  public init(
    id: OperationID, dots: ClosedRange<UInt64>, kind: OperationKind,
    createdMilliseconds: UInt64, changes: [Document.FieldChange], baseVersion: String? = nil
  ) {
    self.id = id
    self.dots = dots
    self.kind = kind
    self.createdMilliseconds = createdMilliseconds
    self.changes = changes
    self.baseVersion = baseVersion
    attempts = 0
    nextAttemptMilliseconds = 0
    state = .pending
  }
}

extension OutboxOperation {
  /// The record that is changed.
  public var record: Document.RecordID { id.record }

  /// Why the operation failed for good; `nil` while it is pending.
  public var failure: OperationFailure? {
    if case .dead(let failure) = state { failure } else { nil }
  }

  /// Whether it failed for good, and the server may have done it all the same.
  var mayBeDone: Bool { failure?.cause == .serverFailed }

  /// Whether an event was made by one of the operation's commits.
  ///
  /// It is only to be asked of events that changed the operation's record.
  public func covers(_ dot: Dot) -> Bool {
    dot.replica == id.dot.replica && dots.contains(dot.counter)
  }

  /// What a server is sent.
  public var envelope: OperationEnvelope {
    OperationEnvelope(
      id: id, kind: kind, createdMilliseconds: createdMilliseconds, changes: changes,
      baseVersion: baseVersion)
  }
}
