import CRDTKit
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("Worlds of apps and their server")
struct OutboxWorldTests {
  @Test("do every change that a user was told is safe, once and in order")
  func soak() {
    var run = SoakRun(style: .outbox)
    for seed in 1...scheduleCount(150, long: 20_000) {
      run.play(seed: seed)
      if !run.failures.isEmpty { break }
    }
    print(run.report)
    for failure in run.failures { Issue.record("\(failure)") }
    let counts = run.counts.outboxes
    // More than 500 of 150 schedules.
    let least = 10 * run.schedules / 3
    #expect(run.edits > least && counts.done > least && counts.sent > counts.done)
    #expect(counts.conflicts > 10 && counts.superseded > 0 && counts.deadLetters > 0)
    // An app's store is never put back or copied; all else that can go wrong has gone wrong.
    let copied = ["copied store"] + DiskPutting.allCases.map { "store \($0.rawValue)" }
    let faults = run.counts.disks.faults.filter { !copied.contains($0.name) }
    #expect(!playsAll || faults.allSatisfy { $0.count > 0 })
  }

  @Test(
    "worlds that have lost something, kept it twice, or never came to agree",
    arguments: [
      (162, .outbox), (1303, .outbox), (7735, .outbox), (8008, .outbox), (13012, .outbox),
      (13823, .outbox), (21514, .outbox), (22443, .outbox), (23509, .outbox), (23562, .outbox),
      (38191, .outbox), (38568, .outbox), (42318, .outbox), (43226, .outbox), (330085, nil),
      (364554, nil),
    ] as [(UInt64, WorldStyle?)])
  func regressions(seed: UInt64, style: WorldStyle?) {
    let outcome = SoakRun(style: style).schedule(seed: seed).play()
    #expect(outcome.violations.isEmpty, "\(outcome.violations)")
  }

  @Test("of the server's edit and the app's, made apart, the later stands")
  func later() {
    let (theirs, mine) = (UInt64(1_970_324_836_974_592), UInt64(4_398_046_511_104))
    for seed in 1...100 as ClosedRange<UInt64> {
      let alone = [
        Self.apart([(0, theirs)], seed: seed).digest, Self.apart([(1, mine)], seed: seed).digest,
      ]
      #expect(alone[0] != alone[1])
      let outcomes = [
        Self.apart([(0, theirs), (1, mine)], seed: seed),
        Self.apart([(1, mine), (0, theirs)], seed: seed),
      ]
      #expect(outcomes.allSatisfy { $0.violations.isEmpty }, "seed \(seed)")
      #expect(outcomes[0].digest == alone[1], "the app's is later, seed \(seed)")
      #expect(outcomes[1].digest == alone[0], "the server's is later, seed \(seed)")
      #expect(outcomes[0].counts.outboxes.superseded == 0)
      #expect(outcomes[1].counts.outboxes.superseded == 1)
    }
  }

  @Test("a partition that lasts long is no violation")
  func longPartition() {
    for seconds in [5, 30, 120] as [UInt64] {
      let outcome = Self.apart([(1, 4_398_046_511_104)], for: seconds * 1_000_000, seed: 1)
      #expect(outcome.violations.isEmpty, "\(outcome.violations)")
    }
  }

  /// Edits of a note, one after another, while an app and its server are apart.
  private static func apart(
    _ edits: [(Int, UInt64)], for duration: UInt64 = 900_000, seed: UInt64
  ) -> WorldOutcome {
    var schedule = WorldSchedule(seed: seed, of: .outbox)
    schedule.replicas = 2
    schedule.settings = NodeSettings()
    schedule.settings.keys = 1
    schedule.settings.disks.relaxed = 0
    schedule.conditions = LinkConditions()
    schedule.clocks = []
    schedule.steps = [
      WorldSchedule.Step(time: 1_000_000, what: .partition([[0]], length: duration))
    ]
    for (number, (place, draw)) in edits.enumerated() {
      let time = 1_050_000 + 800_000 * UInt64(number)
      schedule.steps.append(
        WorldSchedule.Step(time: time, what: .edit(place, draw)))
    }
    return schedule.play()
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

  @Test("a server that forgets, disks that tell lies and apps of old are found soon")
  func sabotage() throws {
    let all = WorldFault.allCases.filter { $0 != .none && $0.fits(.outbox) }
    #expect(all.count == 8)
    for sabotage in all {
      let failing = (1...40 as ClosedRange<UInt64>).lazy.map { seed in
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
