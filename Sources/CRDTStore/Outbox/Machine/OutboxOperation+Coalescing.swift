import CRDTKit

extension OutboxOperation {
  /// The operation and a later one of the same record as one; `nil` unless they are
  /// the same as one.
  ///
  /// Only the values that fields get are made one, of which the last counts. What is
  /// counted, and what goes into sets and out of them, never is: two equal increments
  /// are two.
  ///
  /// - Complexity: O(product of the numbers of changes); at most some thousands.
  func coalesced(with later: OutboxOperation) -> OutboxOperation? {
    guard kind != .delete, later.kind == .update, failure == nil, attempts == 0,
      id.dot.replica == later.id.dot.replica, dots.upperBound < later.dots.lowerBound,
      changes.count * later.changes.count <= 4_096,
      later.changes.allSatisfy(\.isAssignment)
    else { return nil }
    var joined = self
    for change in later.changes {
      var isNew = true
      for place in joined.changes.indices where joined.changes[place].overlaps(change) {
        let old = joined.changes[place]
        guard old.isAssignment, old.path.names.count == change.path.names.count else { return nil }
        joined.changes[place] = change.replacing(before: old.before)
        isNew = false
      }
      if isNew { joined.changes.append(change) }
    }
    joined.dots = dots.lowerBound...later.dots.upperBound
    return joined
  }
}
