import CRDTStoreTesting

/// What some replicas of a list do, step by step, made from a seed.
package struct RandomListSchedule: Hashable, Sendable {
  /// One step; numbers are taken modulo what there is.
  package enum Step: Hashable, Sendable {
    case insert(Int, position: Int, [String])
    case replace(Int, position: Int, String)
    case move(Int, from: Int, to: Int)
    /// Moves up to `count` elements, every other from a position on.
    case moveSome(Int, position: Int, count: Int, to: Int)
    case remove(Int, position: Int, count: Int)
    case merge(Int, from: Int)
  }

  package var seed: UInt64
  package var replicaCount: Int
  package var steps: [Step]

  /// The schedule of a seed: two to four replicas.
  package init(seed: UInt64, stepCounts: ClosedRange<Int> = 1...50) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    replicaCount = Int.random(in: 2...4, using: &random)
    let stepCount = Int.random(in: stepCounts, using: &random)
    let isCrowded = Bool.random(using: &random)
    steps = []
    for number in 0..<stepCount {
      steps.append(Self.step(number, isCrowded: isCrowded, using: &random))
    }
  }

  /// A random step; in a crowded schedule, most changes are of the first few elements, where
  /// they meet.
  private static func step(
    _ number: Int, isCrowded: Bool, using random: inout SeededGenerator
  ) -> Step {
    let replica = Int.random(in: 0..<12, using: &random)
    let other = Int.random(in: 0..<12, using: &random)
    let count = Int.random(in: 1...3, using: &random)
    let isNear = isCrowded && Int.random(in: 0..<4, using: &random) != 0
    let position = Int.random(in: 0..<(isNear ? 3 : 1_000), using: &random)
    let target = Int.random(in: 0..<(isNear ? 4 : 1_000), using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5:
      return .insert(replica, position: position, (0..<count).map { "\(number).\($0)" })
    case 5..<7: return .replace(replica, position: position, "\(number)!")
    case 7..<10: return .move(replica, from: position, to: target)
    case 10: return .moveSome(replica, position: position, count: count, to: target)
    case 11..<13: return .remove(replica, position: position, count: count)
    default: return .merge(replica, from: other)
    }
  }

  /// Says, if the schedule fails, how, and the least part of it that still does.
  package func leastFailure(_ failure: (RandomListSchedule) -> String?) -> String? {
    guard let problem = failure(self) else { return nil }
    var least = self
    least.steps = shrink(steps) { steps in
      var shorter = self
      shorter.steps = steps
      return failure(shorter) != nil
    }
    return "\(problem)\n\(least)\n\(failure(least) ?? "")"
  }
}

extension RandomListSchedule: CustomStringConvertible {
  package var description: String {
    let lines = steps.map { "  \($0)" }
    return "seed \(seed), \(replicaCount) replicas:\n" + lines.joined(separator: "\n")
  }
}
