/// A counter that many replicas increment and decrement.
///
/// What every replica has added and taken away is counted apart, so nothing is
/// counted twice and nothing is lost, in whatever order copies meet:
///
///     var stock = PNCounter()
///     try stock.increment(10, by: phone)
///     try copy.decrement(3, by: laptop)
///     stock.merge(copy)                       // 7
///
/// Merging takes the greater totals of each replica. It is exact: the sum may
/// even leave the range of `Int`, see ``exactValue``. A change that would
/// overflow is an error, and changes nothing.
@frozen
public struct PNCounter: Hashable, Sendable {
  @usableFromInline package var totals: ReplicaTotals<Total>

  /// Creates a counter at 0.
  @inlinable
  public init() {
    totals = ReplicaTotals()
  }

  @inlinable
  package init(totals: ReplicaTotals<Total>) {
    self.totals = totals
  }

  /// What all replicas have added less what they have taken away, or the end of
  /// `Int`'s range where that is nearer to 0.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var value: Int { Int(clamping: exactValue) }

  /// What all replicas have added less what they have taken away.
  ///
  /// No replica takes the counter out of the range of `Int64` as far as it
  /// knows; together they can.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var exactValue: Int128 { totals.sum }

  /// What one replica has added in all.
  ///
  /// - Complexity: O(log(number of replicas)).
  @inlinable
  public func increments(of replica: ReplicaID) -> UInt64 { totals[replica].increments }

  /// What one replica has taken away in all.
  ///
  /// - Complexity: O(log(number of replicas)).
  @inlinable
  public func decrements(of replica: ReplicaID) -> UInt64 { totals[replica].decrements }

  /// Adds to the counter.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: ``CounterOverflow`` if the value known here would pass
  ///   `Int64.max`, or what the replica has added in all `UInt64.max`. Nothing
  ///   has changed then.
  @inlinable
  public mutating func increment(
    _ amount: UInt64 = 1, by replica: ReplicaID
  ) throws(CounterOverflow) {
    var editor = Editor(of: self, by: replica)
    try editor.increment(amount)
    totals[replica] = editor.total
  }

  /// Takes away from the counter.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: ``CounterOverflow`` if the value known here would pass
  ///   `Int64.min`, or what the replica has taken away in all `UInt64.max`.
  ///   Nothing has changed then.
  @inlinable
  public mutating func decrement(
    _ amount: UInt64 = 1, by replica: ReplicaID
  ) throws(CounterOverflow) {
    var editor = Editor(of: self, by: replica)
    try editor.decrement(amount)
    totals[replica] = editor.total
  }
}

extension PNCounter: CustomStringConvertible {
  /// The exact value.
  public var description: String { exactValue.description }
}
