import CRDTTestSupport
import Testing

@testable import crdt_demo

@Suite("Worlds of stores")
struct StoreWorldTests {
  /// A small world in which replicas often lose what is not on their disks.
  private func schedule(seed: UInt64) -> WorldSchedule {
    var schedule = WorldSchedule(seed: seed)
    schedule.workload = .notes
    schedule.settings.death = 0
    schedule.settings.isMortal = true
    var random = SplitMix64(seed: seed, stream: 11)
    for place in schedule.steps.indices {
      // No disk is replaced, and every crash may take what was in the cache.
      guard case .crash(let node, let kind, _, let down) = schedule.steps[place].what else {
        continue
      }
      schedule.steps[place].what = .crash(
        node, kind == .restore ? .torn : kind, draw: random.next() >> 1, down: down)
    }
    return schedule
  }

  private func play(_ schedule: WorldSchedule) -> WorldOutcome {
    let neighbours = schedule.topology.neighbours(among: schedule.replicas)
    let nodes = neighbours.enumerated().map { place, others in
      StoreNode(place: place, neighbours: others.count, settings: schedule.settings)
    }
    var run = WorldRun(schedule, nodes, neighbours, nil)
    return run.play()
  }

  @Test("lose no durable edit, whatever a crash leaves on the disks")
  func crashes() {
    var counts = WorldCounts()
    let count: UInt64 = isLongRun ? 20_000 : 150
    for seed in 1...count {
      let outcome = play(schedule(seed: seed))
      counts += outcome.counts
      #expect(outcome.violations.isEmpty, "seed \(seed): \(outcome.violations)")
      if !outcome.violations.isEmpty { break }
    }
    print(
      "worlds of stores: \(count) schedules, \(counts.edits) edits, \(counts.crashes) crashes, "
        + "\(counts.tornEdits) in the middle of a commit")
  }
}
