import CRDTTestSupport
import Testing

@testable import CRDTSimulator

@Suite("Schedules of worlds")
struct WorldScheduleTests {
  private func trace(_ schedule: WorldSchedule) -> [TraceEvent] {
    var events: [TraceEvent] = []
    _ = schedule.play { events.append($0) }
    return events
  }

  @Test("the same seed gives the same trace, to the last event")
  func determinism() {
    for seed in 1...12 as ClosedRange<UInt64> {
      let schedule = WorldSchedule(seed: seed)
      #expect(schedule == WorldSchedule(seed: seed))
      let events = trace(schedule)
      #expect(events.count > 20)
      #expect(events == trace(schedule), "seed \(seed)")
      #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
      #expect(events.first?.kind == .begin && events.last?.kind == .end)
    }
  }

  @Test("a trace tells of every message what became of it")
  func messages() {
    for seed in 20...40 as ClosedRange<UInt64> {
      var open: [Int: Int] = [:]
      for event in trace(WorldSchedule(seed: seed)) {
        guard let message = event.message else { continue }
        switch event.kind {
        case .send, .duplicate: open[message, default: 0] += 1
        case .receive, .lose:
          open[message, default: 0] -= 1
          #expect(open[message, default: 0] >= 0, "seed \(seed)")
        default: #expect(event.kind == .corrupt)
        }
      }
    }
  }

  @Test("being watched changes nothing")
  func watching() {
    for seed in 50...60 as ClosedRange<UInt64> {
      let schedule = WorldSchedule(seed: seed)
      let (seen, unseen) = (schedule.play { _ in }, schedule.play())
      #expect(seen.digest == unseen.digest && seen.counts == unseen.counts)
    }
  }

  @Test("every sabotage is found soon, and shrinks to something small")
  func sabotage() throws {
    let all = WorldFault.allCases.filter { $0 != .none && !$0.needsForks }
    for sabotage in all.enumerated().filter({ playsAll || $0.offset % 3 == 0 }).map(\.element) {
      let failing = (1...400 as ClosedRange<UInt64>).lazy.map { seed in
        SoakRun(sabotage: sabotage).schedule(seed: seed)
      }.first { !$0.play().violations.isEmpty }
      let schedule = try #require(failing, "\(sabotage) was not found")
      let least = schedule.shrunken()
      #expect(!least.play().violations.isEmpty)
      #expect(least.steps.count <= max(schedule.steps.count / 2, 3), "\(sabotage): \(least)")
      #expect(least == schedule.shrunken())
    }
  }

  @Test("every workload and style comes to agree, in all topologies")
  func workloads() {
    for (number, topology) in (Topology.allCases + [.degree(3), .random(degree: 2, seed: 5)])
      .enumerated()
    {
      let workload = Workload.allCases[number % Workload.allCases.count]
      for style in WorldStyle.allCases {
        var scenario = Scenario()
        scenario.engine = .world
        (scenario.topology, scenario.workload, scenario.style) = (topology, workload, style)
        (scenario.replicas, scenario.operations, scenario.interval) = (7, 80, 20)
        scenario.crashes = .init(count: 3, torn: 1, restores: 1, down: 50, death: 0.01)
        scenario.clocks = .init(skew: 2_000, drift: 100, jumps: 3, jump: 5_000)
        scenario.partitions = [.init(from: 0.02, to: 0.05, groups: [[0, 1, 2]])]
        scenario.joins = [.init(at: 0.03, replica: 6)]
        scenario.leaves = [.init(at: 0.06, replica: 5)]
        let outcome = scenario.schedule().play()
        #expect(outcome.violations.isEmpty, "\(topology) \(workload) \(style)")
        #expect(outcome.remaining == 6)
      }
    }
  }
}
