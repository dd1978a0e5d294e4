/// A value of which two copies, changed apart, can be made one again.
///
/// Merging is commutative, associative and idempotent: copies that have taken
/// in the same changes are equal, whatever the order they came in. (A join
/// semilattice: Shapiro et al., "Conflict-free Replicated Data Types", 2011.)
///
/// A struct of mergeable fields is mergeable field by field; see
/// ``MergeableStruct``.
public protocol Mergeable {
  /// Takes in all that another copy knows.
  mutating func merge(_ other: Self)
}

extension Mergeable {
  /// A copy that knows all that either does.
  @inlinable
  public func merging(_ other: Self) -> Self {
    var copy = self
    copy.merge(other)
    return copy
  }
}
