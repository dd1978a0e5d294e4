import CRDTTestSupport
import Testing

/// Random schedules of edits, outages, lost answers, refusals, another client's changes,
/// kills and pulls, against a server that honours idempotency keys.
@Suite("An outbox in a storm")
struct OutboxStormTests {
  @Test(
    "After healing, the server has what is here, and every operation had one effect",
    .timeLimit(.minutes(30)))
  func storms() async throws {
    let steps = 60
    for seed in seeds(60, long: 3_000) {
      guard var failure = try await OutboxStorm.run(seed: seed, steps: steps) else { continue }
      // The shortest beginning that goes wrong as well is easiest to read.
      for count in 1..<steps {
        guard let shorter = try await OutboxStorm.run(seed: seed, steps: count) else { continue }
        failure = shorter
        break
      }
      Issue.record("\(failure)")
      return
    }
  }

  @Test(
    "Seeds that were wrong once are right",
    arguments: [1366, 2021, 2209, 3122, 4100, 4468, 4843, 5767, 11511, 38852] as [UInt64])
  func regressions(seed: UInt64) async throws {
    let failure = try await OutboxStorm.run(seed: seed, steps: 60)
    #expect(failure == nil)
  }
}
