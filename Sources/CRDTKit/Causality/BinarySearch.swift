extension Range<Int> {
  /// Returns the first number that fulfils a condition; `upperBound` if none does.
  ///
  /// All numbers after it must fulfil the condition, too. The condition is given an index
  /// and not an element, because reading some elements in place costs less than a copy.
  ///
  /// - Complexity: O(log n) calls of the condition.
  @inlinable
  @inline(__always)
  package func partitioningIndex(where isInSecondPart: (Int) -> Bool) -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = (low &+ high) / 2
      if isInSecondPart(middle) { high = middle } else { low = middle &+ 1 }
    }
    return low
  }
}
