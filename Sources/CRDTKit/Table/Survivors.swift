/// The counters of one replica's rows that still live, as runs.
@frozen
@usableFromInline
package struct Survivors: Hashable, Sendable {
  @usableFromInline package var runs: ContiguousArray<ClosedRange<UInt64>> = []

  @inlinable
  package init() {}

  /// Adds a counter above all before.
  @inlinable
  package mutating func append(_ counter: UInt64) {
    if let last = runs.last, last.upperBound &+ 1 == counter {
      runs[runs.count &- 1] = last.lowerBound...counter
    } else {
      runs.append(counter...counter)
    }
  }

  /// Whether the counter is listed.
  ///
  /// - Complexity: O(log(number of runs)).
  @inlinable
  package func contains(_ counter: UInt64) -> Bool {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low &+ high) / 2
      if runs[middle].upperBound < counter { low = middle &+ 1 } else { high = middle }
    }
    return low < runs.count && runs[low].lowerBound <= counter
  }
}
