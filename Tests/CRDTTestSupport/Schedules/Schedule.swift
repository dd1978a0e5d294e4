import CRDTStoreTesting

/// What some replicas do, step by step, made from a seed.
package struct Schedule: Sendable {
  package var seed: UInt64
  package var replicaCount: Int
  package var steps: [Step]
  /// Whether values are read from the replicas themselves after each step, which
  /// builds their indexes, or from decoded copies.
  package var readsInPlace: Bool

  package init(seed: UInt64, replicaCount: Int, steps: [Step], readsInPlace: Bool = true) {
    self.seed = seed
    self.replicaCount = replicaCount
    self.steps = steps
    self.readsInPlace = readsInPlace
  }

  /// The schedule of a seed; blocks have that many operations.
  package init<Root: RootShape>(
    of shape: Root.Type, seed: UInt64, stepCounts: ClosedRange<Int>,
    blockSizes: ClosedRange<Int> = 0...6
  ) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...6, using: &random)
    let steps = (0..<Int.random(in: stepCounts, using: &random)).map { _ in
      Step(of: shape, blockSizes: blockSizes, using: &random)
    }
    self.init(
      seed: seed, replicaCount: count, steps: steps,
      readsInPlace: Bool.random(using: &random))
  }
}

extension Step {
  fileprivate init<Root: RootShape>(
    of shape: Root.Type, blockSizes: ClosedRange<Int>, using random: inout SeededGenerator
  ) {
    let who = Int.random(in: 0..<6, using: &random)
    let other = Int.random(in: 0..<6, using: &random)
    let any = Int.random(in: 0..<1_000, using: &random)
    let flag = Bool.random(using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<18: self = .change(who, Root.operation(using: &random))
    case 18..<36:
      let count = Int.random(in: blockSizes, using: &random)
      self = .edit(who, (0..<count).map { _ in Root.operation(using: &random) })
    case 36..<44: self = .send(who, since: any)
    case 44..<54: self = .answer(who, to: other)
    case 54..<78: self = .deliver(who, message: any, asBytes: flag)
    case 78..<86: self = .merge(who, from: other, asBytes: flag)
    case 86..<89: self = .recode(who)
    case 89..<94: self = .cutLog(who, column: other, whole: flag)
    case 94..<98: self = .copy(who)
    default: self = .clone(who, from: other)
    }
  }
}

extension Schedule: CustomStringConvertible {
  package var description: String {
    let lines = steps.map { "  .\($0)," }
    return """
      seed \(seed), \(replicaCount) replicas, reads in place: \(readsInPlace), \
      \(steps.count) steps:
      \(lines.joined(separator: "\n"))
      """
  }
}
