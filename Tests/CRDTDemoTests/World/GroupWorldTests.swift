import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("Worlds of groups")
struct GroupWorldTests {
  /// A random schedule, of groups, with as many replicas as make more than one tree.
  private func schedule(_ seed: UInt64) -> WorldSchedule {
    var schedule = WorldSchedule(seed: seed, of: .group)
    if seed % 2 == 0, schedule.clocks.count == schedule.replicas {
      schedule.replicas += Int(seed / 2 % 5)
    }
    return schedule
  }

  @Test("go wrong in no schedule, however large")
  func soak() {
    for seed in 1...(isLongRun ? 100_000 : isOptimized ? 200 : 70) as ClosedRange<UInt64> {
      let schedule = schedule(seed)
      guard let violation = schedule.play().violations.first else { continue }
      let least = schedule.shrunken()
      Issue.record(
        "seed \(seed): \(violation)\nshrunken: \(least.play().violations.first ?? violation)\n\(least)"
      )
      return
    }
  }

  @Test("show every sabotage")
  func sabotage() throws {
    for sabotage in WorldFault.allCases where sabotage != .none && sabotage.fits(.group) {
      let failing = (1...400 as ClosedRange<UInt64>).lazy.map { seed in
        var schedule = schedule(seed)
        schedule.settings.sabotage = sabotage
        schedule.settings.isMortal = true
        return schedule
      }.first { !$0.play().violations.isEmpty }
      #expect(failing != nil, "\(sabotage) was not found")
    }
  }

  @Test("send each change over a tree alone, where sessions send it over every link")
  func tree() {
    func bytes(_ style: WorldStyle) -> Int {
      var scenario = Scenario()
      (scenario.engine, scenario.style, scenario.workload) = (.world, style, .set)
      (scenario.replicas, scenario.operations, scenario.topology) = (12, 60, .degree(6))
      (scenario.rate, scenario.interval, scenario.links.faults) = (20, 20, .none)
      let outcome = scenario.schedule().play()
      #expect(outcome.violations.isEmpty)
      return outcome.counts.bytes
    }
    #expect(bytes(.group) < bytes(.session))
  }
}
