import CRDTKit
import CRDTTestSupport
import Testing

@testable import crdt_demo

@Suite("Worlds of apps and their server")
struct OutboxWorldTests {
  @Test("do every change that a user was told is safe, once and in order")
  func soak() {
    var run = SoakRun(style: .outbox)
    for seed in 1...(isLongRun ? 20_000 : 150) as ClosedRange<UInt64> {
      run.play(seed: seed)
      if !run.failures.isEmpty { break }
    }
    print(run.report)
    for failure in run.failures { Issue.record("\(failure)") }
    let counts = run.counts.outboxes
    #expect(run.edits > 500 && counts.done > 500 && counts.sent > counts.done)
    #expect(counts.conflicts > 10 && counts.dropped > 0 && counts.deadLetters > 0)
    // An app's store is never put back or copied; all else that can go wrong has gone wrong.
    let copied = ["copied store"] + DiskPutting.allCases.map { "store \($0.rawValue)" }
    #expect(run.counts.disks.faults.allSatisfy { $0.count > 0 || copied.contains($0.name) })
  }

  @Test(
    "worlds that have lost something, kept it twice, or never came to agree",
    arguments: [330085, 364554] as [UInt64])
  func regressions(seed: UInt64) {
    let outcome = SoakRun().schedule(seed: seed).play()
    #expect(outcome.violations.isEmpty, "\(outcome.violations)")
  }

  @Test("the same seed gives the same trace, to the last event")
  func determinism() {
    for seed in 1...6 as ClosedRange<UInt64> {
      let traces = (0..<2).map { _ in
        var events: [TraceEvent] = []
        _ = WorldSchedule(seed: seed, of: .outbox).play { events.append($0) }
        return events
      }
      #expect(traces[0] == traces[1], "seed \(seed)")
      #expect(traces[0].count > 20)
    }
  }

  @Test("a server that forgets, one that is deaf, and disks that tell lies are found soon")
  func sabotage() throws {
    for sabotage in [WorldSabotage.forgetful, .deaf, .storeFdatasync] {
      let failing = (1...200 as ClosedRange<UInt64>).lazy.map { seed in
        var schedule = WorldSchedule(seed: seed, of: .outbox)
        schedule.settings.sabotage = sabotage
        return schedule
      }.first { !$0.play().violations.isEmpty }
      let schedule = try #require(failing, "\(sabotage) was not found")
      let least = schedule.shrunken()
      #expect(!least.play().violations.isEmpty)
      #expect(least.steps.count <= max(schedule.steps.count / 2, 3), "\(sabotage): \(least)")
      print("\(sabotage): \(least.play().violations[0])\n\(least)")
    }
  }
}
