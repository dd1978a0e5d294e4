import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Records, when the power is cut")
struct RecordCrashTests {
  /// Whether a commit is waited for, or it isn't and a call follows that answers.
  private enum Ending: CaseIterable {
    case full, relaxed, read, refused
  }

  private struct Refusal: Error {}

  @Test("Records, those kept here alone and settings are of one commit, none lost")
  func crashes() async throws {
    for seed in 0..<UInt64(isLongRun ? 60 : 2) {
      var random = SeededGenerator(seed: seed)
      let transactions = (0..<7).map { _ in (0..<3).map { _ in CardVerb.random(&random) } }
      let endings = transactions.map { _ in Ending.allCases.randomElement(using: &random) }
      var states = [CardModel()]
      for verbs in transactions {
        var model = states[states.count - 1]
        for verb in verbs { _ = verb.perform(on: &model) }
        states.append(model)
      }
      let explorer = CrashExplorer(
        choices: CrashChoices(tearMax: 6, changeMax: 3, randomCount: 2), seed: seed)
      let expected = states
      let found = await explorer.explore { files, recorder in
        let store = try await TestStores(files).openCards()
        for (place, verbs) in transactions.enumerated() {
          recorder.issue(place + 1)
          try await store.write(endings[place] == .full ? .full : .relaxed) { tx in
            for verb in verbs { _ = try verb.perform(in: &tx) }
          }
          switch endings[place] {
          // What is answered rests on all that was committed.
          case .read: try await store.write { _ in }
          case .refused:
            do { try await store.write { _ in throw Refusal() } } catch is Refusal {}
          case .full, .relaxed, nil: break
          }
          if endings[place] != .relaxed { recorder.acknowledge(place + 1) }
          if place == 3 { try await store.compact() }
        }
        try await store.close()
      } check: { image, moment in
        await discrepancy(image, moment, expected)
      }
      #expect(
        found.failures.isEmpty,
        "seed \(seed): \(found.failures.prefix(1))\n\(transactions)")
      #expect(found.crashCount > 100)
    }
  }

  private func discrepancy(
    _ image: DiskImage, _ moment: CrashMoment, _ states: [CardModel]
  ) async -> String? {
    do {
      let store = try await TestStores(SimulatedFileSystem(image), replicasAfter: 100).openCards()
      var wrong: String?
      let first = moment.acknowledgedNumbers.max() ?? 0
      for state in states[first...moment.issued] {
        wrong = state.discrepancy(store)
        if wrong == nil { break }
      }
      try await store.close()
      return wrong
    } catch {
      return "\(error)"
    }
  }
}
