import CRDTKit
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("Worlds in which one name is used in two places")
struct ForkWorldTests {
  @Test("heal by themselves, by deltas, sessions and groups, and with stores on disks")
  func soak() {
    for (style, count) in [(WorldStyle.datagram, 150), (.session, 60), (.group, 30), (.store, 30)] {
      let count = isLongRun ? 100 * count : isOptimized ? count : count / 3
      for seed in 1...UInt64(count) {
        let schedule = WorldSchedule(seed: seed, of: style, hasForks: true)
        let outcome = schedule.play()
        #expect(outcome.violations.isEmpty, "\(style) \(seed): \(outcome.violations)")
        if !outcome.violations.isEmpty { break }
      }
    }
  }

  @Test(
    "worlds that have lost something, kept it twice, or never came to agree",
    arguments: [
      (13489, nil), (29580, nil), (78188, nil), (130461, nil), (137465, nil), (376323, nil),
      (414633, nil), (439964, nil), (496274, nil),
      (410383, .group),
      (507676, .group),
    ] as [(UInt64, WorldStyle?)])
  func regressions(seed: UInt64, style: WorldStyle?) {
    let outcome = SoakRun(style: style).schedule(seed: seed).play()
    #expect(outcome.violations.isEmpty, "\(outcome.violations)")
  }

  @Test("the same seed gives the same run, to the last byte")
  func determinism() {
    for style in [WorldStyle.datagram, .session, .group, .store] {
      for seed in 1...4 as ClosedRange<UInt64> {
        let schedule = WorldSchedule(seed: seed, of: style, hasForks: true)
        #expect(schedule.hasForks)
        let (one, other) = (schedule.play(), schedule.play { _ in })
        #expect(one.digest == other.digest && one.counts == other.counts, "\(style) \(seed)")
      }
    }
  }

  @Test(
    "each sabotage of what tells or mends forks is found soon",
    arguments: WorldFault.allCases.filter(\.needsForks))
  func sabotages(sabotage: WorldFault) throws {
    let run = SoakRun(sabotage: sabotage)
    var counts: [UInt64] = []
    for first in [1, 100_000, 200_000] as [UInt64] {
      let seed = try #require(
        (first..<first + 200).first { !run.schedule(seed: $0).play().violations.isEmpty },
        "\(sabotage) isn't found from seed \(first) on")
      counts.append(seed - first + 1)
    }
    print("\(sabotage.rawValue): found in the schedules \(counts) from seeds 1, 100000, 200000")
  }

  @Test("names are from all bits, small ones and neighbours too, and none is an authority's")
  func names() {
    var seen: Set<ReplicaID> = []
    var (small, high) = (0, 0)
    for seed in 1...400 as ClosedRange<UInt64> {
      let names = WorldNames(seed: seed)
      let all = (0..<8).flatMap { place in (0..<3).map { names.name(of: place, generation: $0) } }
      #expect(Set(all).count == all.count)
      for name in all {
        #expect(name.rawValue > 0 && name.rawValue >> 56 < 0xFF)
        small += name.rawValue < 10_000 ? 1 : 0
        high += name.rawValue >> 63 == 1 ? 1 : 0
        seen.insert(name)
      }
    }
    #expect(small > 1_000 && high > 1_000 && seen.count > 2_000)
  }

  @Test("an edit counts that was seen, and nothing that takes it away was")
  func oracle() {
    func edit(
      _ serial: Int, _ kind: OracleChange.Kind, _ payload: Int64 = 0, seen: [Int] = [],
      time: UInt64 = 0
    ) -> RecordedEdit {
      var shadow = Shadow()
      for serial in seen { shadow.insert(serial) }
      let replica = ReplicaID(7)
      return RecordedEdit(
        replica: replica, counter: 1, observed: [:],
        change: OracleChange(key: 0, kind: kind, payload: payload),
        stamp: HybridTimestamp(time: time, replica: replica), serial: serial, events: 1,
        seen: shadow)
    }
    func readings(_ rule: Oracle.Rule, _ edits: [RecordedEdit]) -> [[Int64]] {
      var oracle = LineOracle(rule: rule)
      var all = Shadow()
      for edit in edits {
        oracle.record(edit)
        all.insert(edit.serial)
      }
      #expect(oracle.eventCount(at: all) == UInt64(edits.count))
      #expect(oracle.readings(of: 0, at: Shadow()) == [[]])
      return oracle.readings(of: 0, at: all)
    }
    // All of these have the same dot.
    #expect(readings(.values, [edit(1, .write, 5), edit(70, .write, 6)]) == [[5, 6]])
    #expect(readings(.values, [edit(1, .write, 5), edit(2, .write, 6, seen: [1])]) == [[6]])
    #expect(
      readings(.sum, [edit(1, .add, 5), edit(2, .add, 5), edit(3, .remove, seen: [2])]) == [[5]])
    #expect(readings(.presence, [edit(1, .write), edit(2, .remove, seen: [1])]) == [[]])
    let tie = [
      edit(1, .write, 5, time: 9), edit(2, .write, 6, time: 9), edit(3, .write, 7, time: 8),
    ]
    #expect(readings(.latest, tie) == [[5], [6]])
  }
}
