extension GCounter: DeltaMergeable {
  /// Takes the greater totals of each replica.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public mutating func merge(_ other: GCounter) {
    totals.merge(other.totals)
  }

  /// The counter itself: its totals say what has been seen.
  @inlinable
  public var version: GCounter { self }

  /// The totals that are greater than the version's: a counter of fewer
  /// replicas.
  ///
  /// - Complexity: O(number of replicas on both sides).
  @inlinable
  public func delta(since version: GCounter) -> GCounter {
    GCounter(totals: totals.since(version.totals))
  }

  /// Takes in a delta; says whether any of its totals was greater.
  ///
  /// It builds on nothing, so deltas may be lost, repeated and reordered. It
  /// never throws.
  ///
  /// - Complexity: O(number of replicas on both sides); less where the delta is
  ///   of a few known replicas.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: GCounter) throws(DeltaError) -> Bool {
    totals.merge(delta.totals)
  }
}
