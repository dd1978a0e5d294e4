import CRDTKit

/// Merges of sets of one type of element, with their baselines.
///
/// The baselines get elements of their own, equal to ours and made apart, so
/// that no string is compared with itself.
struct ORSetMerges<Element: Hashable & CanonicalCodable> {
  typealias Pair = (ours: Workload, baseline: Workload)

  let n: Int
  let element: (Int) -> Element

  func new() throws -> Pair {
    let shape = Shape.new(n)
    return (
      try fork(shape).merge { $0.count },
      Baseline.union(Set(shape.left.map(element)), Set(shape.right.map(element)))
    )
  }

  /// The left side's index is there already, as in a set that is in use; the
  /// first lookup after the merge must extend it.
  func newAndLookup() throws -> Pair {
    let shape = Shape.new(n)
    let fork = try fork(shape)
    let (known, asked) = (element(shape.left[0]), element(shape.right[0]))
    let ours = Workload(
      prepare: {
        let left = try ORSet<Element>(decoding: fork.left)
        blackHole(left.contains(known))
        return (left: left, right: try ORSet<Element>(decoding: fork.right), found: false)
      },
      run: {
        $0.left.merge($0.right)
        $0.found = $0.left.contains(asked)
      },
      outcome: { $0.found ? $0.left.count : 0 }
    )
    let (left, right) = (Set(shape.left.map(element)), Set(shape.right.map(element)))
    let baseline = Workload(
      prepare: { (union: left, found: false) },
      run: {
        $0.union = left.union(right)
        $0.found = $0.union.contains(asked)
      },
      outcome: { $0.found ? $0.union.count : 0 }
    )
    return (ours, baseline)
  }

  func againstDictionary(_ shape: Shape) throws -> Pair {
    (try fork(shape).merge { $0.count }, dictionaryMerge(shape))
  }

  /// The right side is a copy of the left: they share their storage.
  func sharedStorage() throws -> Pair {
    let shape = Shape.equal(n)
    let bytes = try fork(shape).left
    let ours = Workload(
      prepare: {
        let left = try ORSet<Element>(decoding: bytes)
        return (left: left, right: left)
      },
      run: { $0.left.merge($0.right) },
      outcome: { $0.left.count }
    )
    return (ours, dictionaryMerge(shape))
  }

  private func fork(_ shape: Shape) throws -> Fork<ORSet<Element>> {
    try Fork(
      shape, from: ORSet<Element>(),
      insert: { $0.insert(element($1), by: $2) },
      remove: { $0.remove(element($1), by: $2) }
    )
  }

  /// A dictionary brings back what one side removed, which a set does not: ours
  /// is held against what it must come to.
  private func dictionaryMerge(_ shape: Shape) -> Workload {
    func dictionary(_ numbers: [Int]) -> [Element: Int] {
      Dictionary(uniqueKeysWithValues: numbers.map { (element($0), $0) })
    }
    return Baseline.merge(dictionary(shape.left), dictionary(shape.right)) { _ in
      shape.mergedCount
    }
  }
}
