import CRDTTestSupport
import Testing

@Suite("Stores that are copied and put back at random")
struct RestoreHistoryTests {
  @Test("hold what follows from the commits that they have, and in the end all of them")
  func histories() throws {
    let count: UInt64 = isLongRun ? 3_000 : isOptimized ? 25 : 8
    for seed in 1...count {
      let history = try RestoreHistory(seed: seed)
      for _ in 0..<40 where history.failures.isEmpty { try history.step() }
      if history.failures.isEmpty { try history.finish() }
      let steps = history.steps.joined(separator: "\n  ")
      #expect(history.failures.isEmpty, "seed \(seed):\n  \(steps)\n\(history.failures)")
      if !history.failures.isEmpty { return }
    }
  }
}
