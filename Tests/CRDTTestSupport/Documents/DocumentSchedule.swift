import CRDTStoreTesting

/// What some replicas do to documents, step by step, made from a seed.
package struct DocumentSchedule: Sendable {
  package var seed: UInt64
  package var replicaCount: Int
  /// Whether records are purged.
  package var isPurging: Bool
  /// Whether one of the replicas has an older schema.
  package var isMixed: Bool
  package var steps: [DocumentStep]

  package init(seed: UInt64, stepCounts: ClosedRange<Int>) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    replicaCount = Int.random(in: 2...4, using: &random)
    isPurging = Int.random(in: 0..<4, using: &random) == 0
    isMixed = Int.random(in: 0..<3, using: &random) == 0
    let isPurging = isPurging
    steps = (0..<Int.random(in: stepCounts, using: &random)).flatMap { _ in
      Int.random(in: 0..<8, using: &random) == 0
        ? DocumentStep.race(purging: isPurging, using: &random)
        : [DocumentStep(purging: isPurging, using: &random)]
    }
  }
}

extension DocumentStep {
  /// Two replicas change the same, knowing the same before, and meet.
  fileprivate static func race(
    purging: Bool, using random: inout SeededGenerator
  ) -> [DocumentStep] {
    let who = Int.random(in: 0..<12, using: &random)
    let other = who + Int.random(in: 1...3, using: &random)
    let record = DocumentSamples.record(using: &random)
    let path = DocumentSamples.path(using: &random)
    let changes = (0..<3).map { place in
      place == 0 || Bool.random(using: &random)
        ? DocumentOperation.set(record, path, DocumentSamples.value(using: &random))
        : DocumentOperation(on: record, path, purging: purging, using: &random)
    }
    return [
      .edit(who, [changes[0]]), .merge(other, from: who, asBytes: false),
      .merge(who, from: other, asBytes: true), .edit(who, [changes[1]]),
      .edit(other, [changes[2]]), .merge(who, from: other, asBytes: false),
      .merge(other, from: who, asBytes: false),
    ]
  }

  fileprivate init(purging: Bool, using random: inout SeededGenerator) {
    let who = Int.random(in: 0..<12, using: &random)
    let other = Int.random(in: 0..<12, using: &random)
    let any = Int.random(in: 0..<1_000, using: &random)
    let flag = Bool.random(using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<52:
      let count = [1, 1, 1, 2, 3, 4].randomElement(using: &random) ?? 1
      self = .edit(
        who, (0..<count).map { _ in DocumentOperation(purging: purging, using: &random) })
    case 52..<56: self = .send(who, since: any)
    case 56..<62: self = .answer(who, to: other)
    case 62..<77: self = .deliver(who, message: any, asBytes: flag)
    case 77..<90: self = .merge(who, from: other, asBytes: flag)
    case 90..<95: self = .recode(who)
    case 95..<98: self = .cutLog(who, column: other)
    default: self = .copy(who)
    }
  }
}

extension DocumentSchedule: CustomStringConvertible {
  package var description: String {
    let lines = steps.map { "  .\($0)," }
    return """
      seed \(seed), \(replicaCount) replicas, purging: \(isPurging), mixed: \(isMixed), \
      \(steps.count) steps:
      \(lines.joined(separator: "\n"))
      """
  }

  /// The first schedule of the seeds that goes wrong, in words: what went wrong and
  /// the least part of it that still does.
  package static func firstFailure(
    seeds: Range<UInt64>, stepCounts: ClosedRange<Int>
  ) -> String? {
    for seed in seeds {
      let schedule = DocumentSchedule(seed: seed, stepCounts: stepCounts)
      guard schedule.failure != nil else { continue }
      let least = schedule.shrunk()
      return "\(least.failure.map(\.description) ?? "")\nin \(least)"
    }
    return nil
  }

  private var failure: Discrepancy? {
    do throws(Discrepancy) {
      try DocumentPlayer.play(self)
      return nil
    } catch {
      return error
    }
  }

  private func shrunk() -> DocumentSchedule {
    var least = self
    least.steps = shrink(steps) { steps in
      var shorter = least
      shorter.steps = steps
      return shorter.failure != nil
    }
    for place in least.steps.indices {
      guard case .edit(let who, let operations) = least.steps[place] else { continue }
      let fewer = shrink(operations) { operations in
        var shorter = least
        shorter.steps[place] = .edit(who, operations)
        return shorter.failure != nil
      }
      least.steps[place] = .edit(who, fewer)
    }
    return least
  }
}
