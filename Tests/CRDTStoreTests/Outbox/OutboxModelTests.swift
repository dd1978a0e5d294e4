import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

/// The outbox under random schedules of edits, outages, lost answers, rejections,
/// conflicts and crashes.
@Suite("The outbox against a model")
struct OutboxModelTests {
  private static func run(_ world: inout OutboxWorld, steps: Int) -> String? {
    do {
      for _ in 0..<steps { try world.step() }
      try world.end()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func fails(seed: UInt64, steps: Int) -> Bool {
    var world = OutboxWorld(seed: seed)
    return run(&world, steps: steps) != nil
  }

  @Test("Nothing is lost, done twice, or done out of order, and no lane is held up")
  func schedules() {
    for seed in 0..<scheduleCount(200, long: 20_000)
    where Self.fails(seed: seed, steps: 150) {
      let steps = (1...150).first { Self.fails(seed: seed, steps: $0) } ?? 150
      var world = OutboxWorld(seed: seed, isTracing: true)
      let problem = Self.run(&world, steps: steps) ?? ""
      let trace = world.trace?.joined(separator: "\n") ?? ""
      Issue.record("seed \(seed), \(steps) steps: \(problem)\n\(trace)")
      return
    }
  }
}
