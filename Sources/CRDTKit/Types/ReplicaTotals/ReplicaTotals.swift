/// A counter's totals, replica by replica: what the counters have in common.
///
/// Replicas and totals stand in separate arrays, so that two counters of the
/// same replicas merge by one comparison of arrays and one loop of maxima.
@frozen
@usableFromInline
package struct ReplicaTotals<Total: ReplicaTotal>: Hashable, Sendable {
  /// The replicas that have changed the counter, in ascending order.
  @usableFromInline package var replicas: ContiguousArray<ReplicaID>

  /// The total of each, never zero.
  @usableFromInline package var totals: ContiguousArray<Total>

  @inlinable
  package init() {
    replicas = []
    totals = []
  }

  @inlinable
  package init(sortedReplicas: ContiguousArray<ReplicaID>, totals: ContiguousArray<Total>) {
    replicas = sortedReplicas
    self.totals = totals
  }

  /// The total of one replica.
  @inlinable
  package init(_ replica: ReplicaID, _ total: Total) {
    self.init()
    self[replica] = total
  }

  @inlinable
  package var count: Int { replicas.count }

  /// A replica's total, which is never set back to zero.
  @inlinable
  package subscript(replica: ReplicaID) -> Total {
    get {
      let place = place(of: replica, from: 0)
      return holds(replica, at: place) ? totals[place] : .zero
    }
    set {
      let place = place(of: replica, from: 0)
      if holds(replica, at: place) {
        totals[place] = newValue
      } else if newValue != .zero {
        replicas.insert(replica, at: place)
        totals.insert(newValue, at: place)
      }
    }
  }

  /// The sum of what all totals contribute.
  ///
  /// 2⁶⁴ replicas of 2⁶⁴ each would be needed to leave its bounds.
  @inlinable
  package var sum: Int128 {
    totals.reduce(0) { $0 + $1.contribution }
  }

  @inlinable
  func holds(_ replica: ReplicaID, at place: Int) -> Bool {
    place < count && replicas[place] == replica
  }

  /// The first place at or after `start` whose replica is not less.
  @inlinable
  func place(of replica: ReplicaID, from start: Int) -> Int {
    var low = start
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if replicas[middle] < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
