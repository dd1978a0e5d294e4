import CRDTTestSupport
import Testing

@Suite("Transactions, drafts and an outbox at random")
struct TransactionStormTests {
  @Test(
    "Whatever commits do, the server ends with what is here", .timeLimit(.minutes(30)))
  func storms() async throws {
    for seed in seeds(40, long: 3_000) {
      let steps = TransactionStorm.steps(seed: seed)
      guard let wrong = try await TransactionStorm.run(steps) else { continue }
      let (fewer, failure) = try await shrink(steps, wrong)
      let list = fewer.map { "  \($0)" }.joined(separator: "\n")
      Issue.record("seed \(seed): \(failure)\n\(list)")
      return
    }
  }

  @Test("Schedules that have counted something twice", arguments: [501] as [UInt64])
  func regressions(seed: UInt64) async throws {
    let failure = try await TransactionStorm.run(TransactionStorm.steps(seed: seed))
    #expect(failure == nil)
  }

  /// As few of the steps as still go wrong, and how they do.
  private func shrink(
    _ steps: [TransactionStorm.Step], _ wrong: String
  ) async throws -> ([TransactionStorm.Step], String) {
    var (steps, wrong) = (steps, wrong)
    var isShorter = true
    while isShorter {
      isShorter = false
      for place in steps.indices.reversed() {
        for fewer in TransactionStorm.without(place, of: steps) {
          guard let failure = try await TransactionStorm.run(fewer) else { continue }
          (steps, wrong, isShorter) = (fewer, failure, true)
          break
        }
      }
    }
    return (steps, wrong)
  }
}
