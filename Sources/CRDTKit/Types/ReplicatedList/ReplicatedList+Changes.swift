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
    let (old, new) = (earlier.ids, ids)
    let difference = ListDifference(from: old, to: new)
    var (oldPlaces, newPlaces): ([ElementID: Int], [ElementID: Int]) = ([:], [:])
    for (place, source) in difference.sources.enumerated() {
      guard case .moved(let index) = source else { continue }
      oldPlaces[new[place]] = index
      newPlaces[new[place]] = place
    }
    var changes: [CollectionDifference<ElementID>.Change] = []
    for (place, id) in old.enumerated() where newPlaces[id] != nil {
      changes.append(.remove(offset: place, element: id, associatedWith: newPlaces[id]))
    }
    for place in difference.removed {
      changes.append(.remove(offset: place, element: old[place], associatedWith: nil))
    }
    for (place, source) in difference.sources.enumerated() {
      switch source {
      case .kept: break
      case .moved(let index):
        changes.append(.insert(offset: place, element: new[place], associatedWith: index))
      case .written(let index):
        changes.append(.remove(offset: index, element: old[index], associatedWith: nil))
        changes.append(.insert(offset: place, element: new[place], associatedWith: nil))
      case .inserted:
        changes.append(.insert(offset: place, element: new[place], associatedWith: nil))
      }
    }
    guard let result = CollectionDifference(changes) else {
      preconditionFailure("the changes of a list do not fit together")
    }
    return result
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
