/// Merges many values as a merge sort does: it merges each value only with one of about
/// the same size.
///
/// Merging each value into the result of all earlier ones would take time quadratic in
/// their number. A hostile peer chooses that number.
@frozen
@usableFromInline
struct BalancedMerge<Value: Sendable>: Sendable {
  /// The values that are still to be merged, each larger than the next.
  @usableFromInline var parts: ContiguousArray<(value: Value, size: Int)> = []

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { parts.isEmpty }

  /// Adds a value with the given size.
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

  /// Returns the merge of all values; `nil` if there are none.
  ///
  /// - Complexity: O(sizes · log(number of values)), including the calls of `add`.
  @inlinable
  func merged(_ merge: (inout Value, Value) -> Void) -> Value? {
    guard var all = parts.last?.value else { return nil }
    for part in parts.dropLast().reversed() { merge(&all, part.value) }
    return all
  }
}

extension VersionVector {
  /// Creates a version that contains the events of all the given versions.
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
