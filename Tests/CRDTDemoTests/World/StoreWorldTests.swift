import CRDTKit
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("Worlds of stores")
struct StoreWorldTests {
  @Test("lose no durable edit, whatever a crash leaves on the disks")
  func crashes() {
    var run = SoakRun(style: .store)
    for seed in 1...scheduleCount(150, long: 20_000) {
      run.play(seed: seed)
      if !run.failures.isEmpty { break }
    }
    print(run.report)
    for failure in run.failures { Issue.record("\(failure)") }
    #expect(!playsAll || run.counts.disks.faults.allSatisfy { $0.count > 0 })
  }

  @Test("the same seed gives the same trace, to the last event")
  func determinism() {
    for seed in 1...6 as ClosedRange<UInt64> {
      let traces = (0..<2).map { _ in
        var events: [TraceEvent] = []
        _ = WorldSchedule(seed: seed, of: .store).play { events.append($0) }
        return events
      }
      #expect(traces[0] == traces[1], "seed \(seed)")
      #expect(traces[0].count > 20)
    }
  }

  @Test("a disk that ignores fdatasync is found soon, and shrinks to something small")
  func lies() throws {
    var run = SoakRun(sabotage: .storeFdatasync)
    var seed: UInt64 = 0
    while run.failures.isEmpty, seed < 40 {
      seed += 1
      run.play(seed: seed)
    }
    let failure = try #require(run.failures.first)
    #expect(seed < 20)
    let least = failure.schedule.shrunken()
    #expect(!least.play().violations.isEmpty)
    #expect(least.steps.count <= 3, "\(least)")
    #expect("\(failure)".contains("soak --seed \(seed) --schedules 1 --sabotage store-fdatasync"))
    print("found in schedule \(seed): \(failure)")
  }

  @Test("a restored backup is noticed, and its replica takes a new name")
  func restores() {
    var restores = 0
    for seed in 1...60 as ClosedRange<UInt64> {
      var schedule = WorldSchedule(seed: seed, of: .store)
      guard let last = schedule.steps.last else { continue }
      schedule.steps.append(
        .init(time: last.time + 400_000, what: .crash(0, .restore, draw: seed, down: 1_000)))
      let outcome = schedule.play()
      #expect(outcome.violations.isEmpty, "seed \(seed): \(outcome.violations)")
      restores += outcome.counts.disks.backups > 0 ? 1 : 0
    }
    #expect(restores > 30)
  }
}
