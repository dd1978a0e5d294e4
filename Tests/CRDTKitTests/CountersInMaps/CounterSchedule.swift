import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport

/// What some replicas do with a counter, step by step, made from a seed.
struct CounterSchedule: CustomStringConvertible {
  enum Step {
    case act(Int, CounterAction)
    case merge(Int, from: Int, asDelta: Bool)
    case recode(Int)
  }

  let seed: UInt64
  let replicaCount: Int
  var steps: [Step]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    let count = Int.random(in: 2...3, using: &random)
    replicaCount = count
    steps = (0..<Int.random(in: 5...40, using: &random)).map { _ in
      let who = Int.random(in: 0..<count, using: &random)
      let other = (who + Int.random(in: 1..<count, using: &random)) % count
      return switch Int.random(in: 0..<100, using: &random) {
      case 0..<28: .act(who, .count(Int64.random(in: -2...5, using: &random)))
      case 28..<34: .act(who, .removeField)
      case 34..<46: .act(who, .delete)
      case 46..<49: .act(who, .restore)
      case 49..<56: .act(who, .purge(isWaiting: false))
      case 56..<64: .act(who, .purge(isWaiting: true))
      case 64..<67: .act(who, .restoreOrphan)
      case 67..<69: .act(who, .discardOrphan)
      case 69..<95: .merge(who, from: other, asDelta: Bool.random(using: &random))
      default: .recode(who)
      }
    }
  }

  var description: String {
    "seed \(seed), \(replicaCount) replicas:\n"
      + steps.map { "  .\($0)," }.joined(separator: "\n")
  }

  /// The first schedule of the seeds that goes wrong: what went wrong, and the least
  /// part of it that still does.
  static func firstFailure<Subject: CounterSubject>(
    of subject: Subject.Type, seeds: Range<UInt64>
  ) -> String? {
    for seed in seeds {
      var least = CounterSchedule(seed: seed)
      guard least.failure(of: subject) != nil else { continue }
      least.steps = shrink(least.steps) { steps in
        var shorter = least
        shorter.steps = steps
        return shorter.failure(of: subject) != nil
      }
      return "\(least.failure(of: subject).map { "\($0)" } ?? "")\nin \(least)"
    }
    return nil
  }

  private func failure<Subject: CounterSubject>(of _: Subject.Type) -> (any Error)? {
    do {
      var player = CounterPlayer<Subject>(count: replicaCount)
      for step in steps { try player.play(step) }
      try player.end()
      return nil
    } catch {
      return error
    }
  }
}
