extension ReplicatedList {
  /// Returns the insertions and removals that turn the elements of an earlier state into those
  /// of this one.
  ///
  /// An element that was moved is removed and inserted, and the two name each other, as after
  /// `inferringMoves()`. A view applies them to the identities that it shows, and shows the
  /// elements of ``edited(since:)`` anew:
  ///
  ///     for change in list.changes(since: shown) {
  ///       switch change {
  ///       case .remove(let offset, _, _): rows.remove(at: offset)
  ///       case .insert(let offset, let id, _): rows.insert(row(for: id), at: offset)
  ///       }
  ///     }
  ///     shown = list
  ///
  /// - Parameter earlier: A copy of the list.
  /// - Returns: The changes of the identities; none if the order is the same.
  /// - Complexity: Expected O(n log n) for the elements of both.
  @inlinable
  public func changes(since earlier: ReplicatedList) -> CollectionDifference<ElementID> {
    ListDifference.changes(from: earlier.ids, to: ids)
  }

  /// Returns the elements in an earlier state and this one whose values were changed, in order.
  ///
  /// - Parameter earlier: A copy of the list.
  /// - Returns: The identities of the elements.
  /// - Complexity: Expected O(n log n + rows of the elements in both).
  @inlinable
  public func edited(since earlier: ReplicatedList) -> [ElementID] {
    let known = Set(earlier.ids)
    return ids.filter { known.contains($0) && valueDots(of: $0) != earlier.valueDots(of: $0) }
  }
}
