/// Merges many values one after another, as a merge sort does: each only with others that
/// are about as large.
///
/// Merging each into what has come of all before would take time quadratic in their number,
/// which a hostile peer chooses.
@frozen
@usableFromInline
struct BalancedMerge<Value: Sendable>: Sendable {
  /// Values that are still to be merged, each of more than the next.
  @usableFromInline var parts: ContiguousArray<(value: Value, size: Int)> = []

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { parts.isEmpty }

  /// Adds a value of a size.
  @inlinable
  mutating func add(_ value: Value, size: Int, _ merge: (inout Value, Value) -> Void) {
    var last = (value: value, size: size)
    while let before = parts.last, before.size <= last.size {
      parts.removeLast()
      var merged = before.value
      merge(&merged, last.value)
      last = (merged, before.size &+ last.size)
    }
    parts.append(last)
  }

  /// All values, merged; `nil` where there is none.
  ///
  /// - Complexity: O(sizes · log(number of values)), with the adding.
  @inlinable
  func merged(_ merge: (inout Value, Value) -> Void) -> Value? {
    guard var all = parts.last?.value else { return nil }
    for part in parts.dropLast().reversed() { merge(&all, part.value) }
    return all
  }
}

extension VersionVector {
  /// All that some versions have seen.
  ///
  /// - Complexity: O(n log n) for n entries in all.
  init(mergingAll versions: some Sequence<VersionVector>) {
    var all = BalancedMerge<VersionVector>()
    for version in versions {
      all.add(version, size: version.count + 1) { $0.merge($1) }
    }
    self = all.merged { $0.merge($1) } ?? VersionVector()
  }
}
