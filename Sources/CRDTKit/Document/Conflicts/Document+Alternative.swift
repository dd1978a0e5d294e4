extension Document {
  /// A value of a field, with who wrote it and when: one of several where they
  /// were written concurrently.
  public struct Alternative: Hashable, Sendable {
    /// The value.
    public var value: Value
    /// When it was written, and by which replica.
    public var timestamp: HybridTimestamp

    /// The replica that wrote it.
    public var replica: ReplicaID { timestamp.replica }

    /// Creates a value with its stamp.
    public init(_ value: Value, at timestamp: HybridTimestamp) {
      self.value = value
      self.timestamp = timestamp
    }
  }
}
