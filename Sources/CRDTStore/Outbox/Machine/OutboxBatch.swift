/// Operations that are on their way to the server together.
public struct OutboxBatch: Hashable, Sendable {
  /// The number of the batch, by which its answers are known.
  public let number: UInt64
  /// The operations, the oldest first, each of another record.
  public let operations: [OutboxOperation]
}

extension OutboxBatch {
  /// What the server is sent.
  ///
  /// - Complexity: O(number of operations).
  public var envelopes: [OperationEnvelope] { operations.map(\.envelope) }

  /// The same without what was changed before a deletion, which is of use only where
  /// that loses.
  package var sentEnvelopes: [OperationEnvelope] {
    operations.map { operation in
      var envelope = operation.envelope
      if envelope.kind == .delete { envelope.changes = [] }
      return envelope
    }
  }
}
