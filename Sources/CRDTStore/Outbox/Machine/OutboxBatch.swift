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
}
