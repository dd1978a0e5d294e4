/// A counter was not changed, because the change would take it out of bounds.
///
/// A counter's value stays between `Int64.min` and `Int64.max` as far as the
/// replica that changes it knows, and what one replica has added or taken away
/// in all stays within `UInt64`. Nothing wraps and nothing is dropped in
/// silence.
public struct CounterOverflow: Error, Hashable, Sendable {
  /// The replica that was to make the change.
  public var replica: ReplicaID
  /// By how much the counter was to go up or down.
  public var amount: UInt64

  /// Creates the error.
  @inlinable
  public init(replica: ReplicaID, amount: UInt64) {
    self.replica = replica
    self.amount = amount
  }
}

extension CounterOverflow: CustomStringConvertible {
  /// A sentence that says what was refused.
  public var description: String {
    "a change of \(amount) by replica \(replica) would take the counter out of bounds"
  }
}
