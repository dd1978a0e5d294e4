/// A counter that many replicas increment and none decrements.
///
/// Every replica's increments are counted apart, so none is counted twice and
/// none is lost, in whatever order copies meet:
///
///     var likes = GCounter()
///     try likes.increment(10, by: phone)
///     try copy.increment(10, by: laptop)
///     likes.merge(copy)                       // 20
///
/// Merging takes the greater total of each replica. It is exact: the sum may
/// even leave the range of `Int`, see ``exactValue``. An increment that would
/// overflow is an error, and changes nothing.
@frozen
public struct GCounter: Hashable, Sendable {
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

  /// What all replicas have added, or `Int.max` where that is less.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var value: Int { Int(clamping: exactValue) }

  /// What all replicas have added.
  ///
  /// No replica takes the counter above `Int64.max` as far as it knows; together
  /// they can.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var exactValue: Int128 { totals.sum }

  /// What one replica has added in all.
  ///
  /// - Complexity: O(log(number of replicas)).
  @inlinable
  public func increments(of replica: ReplicaID) -> UInt64 { totals[replica].increments }

  /// Adds to the counter.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: ``CounterOverflow`` if the value known here would pass
  ///   `Int64.max`, or the replica's own total `UInt64.max`. Nothing has changed
  ///   then.
  @inlinable
  public mutating func increment(
    _ amount: UInt64 = 1, by replica: ReplicaID
  ) throws(CounterOverflow) {
    var editor = Editor(of: self, by: replica)
    try editor.increment(amount)
    totals[replica] = editor.total
  }
}

extension GCounter: CustomStringConvertible {
  /// The exact value.
  public var description: String { exactValue.description }
}
