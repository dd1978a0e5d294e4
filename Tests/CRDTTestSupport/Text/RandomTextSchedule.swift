import CRDTStoreTesting

/// What some replicas of a text do, step by step, made from a seed.
///
/// The same schedule can drive an engine and a model of it.
package struct RandomTextSchedule: Hashable, Sendable {
  /// One step.
  ///
  /// Numbers are taken modulo what there is, so that a step has a meaning wherever it
  /// stands: replicas modulo their count, positions modulo the gaps or elements of the text.
  package enum Step: Hashable, Sendable {
    /// Insert a text at `position % (length + 1)`.
    case insert(Int, position: Int, String)
    /// Delete up to `count` scalars from `position % length` on.
    case delete(Int, position: Int, count: Int)
    /// Take in the state of another replica.
    case merge(Int, from: Int)
  }

  package var seed: UInt64
  package var replicaCount: Int
  package var steps: [Step]

  package init(seed: UInt64, replicaCount: Int, steps: [Step]) {
    self.seed = seed
    self.replicaCount = replicaCount
    self.steps = steps
  }

  /// The schedule of a seed: two to four replicas.
  package init(seed: UInt64, stepCounts: ClosedRange<Int> = 1...60) {
    var random = SeededGenerator(seed: seed)
    let replicaCount = Int.random(in: 2...4, using: &random)
    let stepCount = Int.random(in: stepCounts, using: &random)
    let isCrowded = Bool.random(using: &random)
    let steps = (0..<stepCount).map { _ in Step(isCrowded: isCrowded, using: &random) }
    self.init(seed: seed, replicaCount: replicaCount, steps: steps)
  }

  /// The schedule without the steps that can be left out so that it still fails.
  package func shrunk(while fails: (RandomTextSchedule) -> Bool) -> RandomTextSchedule {
    var least = self
    least.steps = shrink(steps) { steps in
      fails(RandomTextSchedule(seed: seed, replicaCount: replicaCount, steps: steps))
    }
    return least
  }

  /// Says, if the schedule fails, how, and the least part of it that still does.
  package func leastFailure(_ failure: (RandomTextSchedule) -> String?) -> String? {
    guard let problem = failure(self) else { return nil }
    let least = shrunk { failure($0) != nil }
    return "\(problem)\n\(least)\n\(failure(least) ?? "")"
  }
}

extension RandomTextSchedule.Step {
  private static let scalars: [Unicode.Scalar] =
    Array("abcdefghijklmnop".unicodeScalars) + ["\n", "\n", "é", "é", "漢", "漢", "👍", "👍"]

  /// A random step; in a crowded schedule, most edits are at the first few positions, where
  /// they meet.
  fileprivate init(isCrowded: Bool, using random: inout SeededGenerator) {
    let replica = Int.random(in: 0..<12, using: &random)
    let other = Int.random(in: 0..<12, using: &random)
    let length = Int.random(in: 1...6, using: &random)
    let isNear = isCrowded && Int.random(in: 0..<4, using: &random) != 0
    let position = Int.random(in: 0..<(isNear ? 4 : 1_000_000), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5:
      var text = String.UnicodeScalarView()
      for _ in 0..<length { text.append(Self.randomScalar(using: &random)) }
      self = .insert(replica, position: position, String(text))
    case 5..<7: self = .delete(replica, position: position, count: length)
    default: self = .merge(replica, from: other)
    }
  }

  private static func randomScalar(using random: inout SeededGenerator) -> Unicode.Scalar {
    scalars[Int.random(in: scalars.indices, using: &random)]
  }
}

extension RandomTextSchedule: CustomStringConvertible {
  package var description: String {
    let lines = steps.map { "  \($0)" }
    return "seed \(seed), \(replicaCount) replicas:\n" + lines.joined(separator: "\n")
  }
}
