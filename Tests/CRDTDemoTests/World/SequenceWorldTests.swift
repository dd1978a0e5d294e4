import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit

@Suite("Worlds of texts and lists")
struct SequenceWorldTests {
  private static let workloads: [Workload] = [.text, .list]

  /// A random schedule, in which the replicas write a text or change a list.
  private func schedule(
    _ seed: UInt64, _ style: WorldStyle, of workload: Workload, hasForks: Bool = false
  ) -> WorldSchedule {
    var schedule = WorldSchedule(seed: seed, of: style, hasForks: hasForks)
    schedule.become(workload)
    return schedule
  }

  private func soak(_ counts: [(WorldStyle, Int)], of workload: Workload, hasForks: Bool) {
    for (style, count) in counts {
      let count = isLongRun ? 100 * count : isOptimized ? count : count / 6
      for seed in 1...UInt64(count) {
        let schedule = schedule(seed, style, of: workload, hasForks: hasForks)
        guard let violation = schedule.play().violations.first else { continue }
        let least = schedule.shrunken()
        Issue.record(
          """
          \(workload), \(style), seed \(seed): \(violation)
          shrunken: \(least.play().violations.first ?? violation)
          \(least)
          """)
        break
      }
    }
  }

  @Test("read as the plain model does, whatever befalls them", arguments: workloads)
  func worlds(of workload: Workload) {
    soak([(.datagram, 270), (.session, 120), (.group, 66)], of: workload, hasForks: false)
  }

  @Test("keep every element where one name is used in two places", arguments: workloads)
  func forks(of workload: Workload) {
    soak([(.datagram, 270), (.session, 120), (.group, 48)], of: workload, hasForks: true)
  }

  @Test("the same seed gives the same run, to the last byte", arguments: workloads)
  func determinism(of workload: Workload) {
    for style in [WorldStyle.datagram, .session, .group] {
      for seed in 1...3 as ClosedRange<UInt64> {
        let schedule = schedule(seed, style, of: workload, hasForks: seed > 1)
        let (one, other) = (schedule.play(), schedule.play { _ in })
        #expect(one.digest == other.digest && one.counts == other.counts, "\(style) \(seed)")
        #expect(one.summary == other.summary)
      }
    }
  }

  @Test("have no more operations than can be judged", arguments: workloads)
  func operations(of workload: Workload) throws {
    let name = workload.rawValue
    for (operations, problem) in [
      (20_000, nil), (20_001, "a \(name) has 20000 operations at most"),
    ] {
      let json = "{\"engine\": \"world\", \"workload\": \"\(name)\", \"operations\": \(operations)}"
      #expect(try Scenario(parsing: Array(json.utf8)).problem == problem)
    }
  }

  @Test("random worlds are of them now and then", arguments: workloads)
  func share(of workload: Workload) {
    let found = (1...600 as ClosedRange<UInt64>).count {
      WorldSchedule(seed: $0).workload == workload
    }
    #expect((25...75).contains(found), "\(found)")
  }

  @Test(
    "each sabotage is found by what a text reads as",
    arguments: [
      WorldFault.deaf, .backwards, .forgetful, .unmarked, .sameDots, .refused,
    ])
  func textSabotages(sabotage: WorldFault) { find(sabotage, of: .text) }

  // A forgetful replica is found here, too, but only after as long as by all others.
  @Test(
    "each sabotage is found by what a list reads as",
    arguments: [
      WorldFault.deaf, .backwards, .unmarked, .sameDots, .refused,
    ])
  func listSabotages(sabotage: WorldFault) { find(sabotage, of: .list) }

  private func find(_ sabotage: WorldFault, of workload: Workload) {
    let found = (1...300 as ClosedRange<UInt64>).first { seed in
      let style: WorldStyle =
        sabotage.needsForks || seed % 2 == 0 && sabotage != .forgetful ? .datagram : .session
      var schedule = schedule(seed, style, of: workload, hasForks: sabotage.needsForks)
      (schedule.settings.sabotage, schedule.settings.isMortal) = (sabotage, true)
      if sabotage == .unmarked { schedule.settings.decoding = 0.5 }
      return !schedule.play().violations.isEmpty
    }
    #expect(found != nil, "\(sabotage)")
  }

  @Test("the report shows the elements in the colours of who inserted them")
  func report() throws {
    var scenario = Scenario()
    (scenario.engine, scenario.workload) = (.world, .list)
    (scenario.replicas, scenario.operations) = (3, 60)
    var events: [TraceEvent] = []
    let outcome = scenario.schedule().play { events.append($0) }
    #expect(outcome.violations.isEmpty)
    #expect(outcome.summary.hasPrefix("a list of "))
    for event in events where event.kind == .edit || event.kind == .learn {
      let text = try #require(event.value).unicodeScalars
      let words = try #require(event.authors)
      let parts = words.isEmpty ? [] : try #require(TextAuthors(words)).parts
      #expect(parts.reduce(0) { $0 + $1.count } == text.count)
    }
    let html = ReportPage(run: TraceRun(events)).html
    for place in 0..<3 {
      #expect(html.contains("<span class=\"by a\(place)\" title=\"replica \(place + 1)\">"))
    }
  }
}
