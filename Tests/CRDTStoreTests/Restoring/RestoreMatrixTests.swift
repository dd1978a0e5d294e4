import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

/// Backups that are put back in all usual ways, on the machine's own disk.
@Suite("Restored and copied stores")
struct RestoreMatrixTests {
  private static let commits = playsAll ? [0, 1, 3, 10, 60, 500] : [0, 1, 10]

  @Test("However a store is restored: noticed once, nothing lost, all the same in the end")
  func matrix() async throws {
    var sites: [(scenario: RestoreScenario, site: RestoreSite)] = []
    for way in RestoreScenario.Way.allCases {
      for commits in Self.commits {
        for isCompacted in [false, true] {
          for meeting in RestoreScenario.Meeting.allCases {
            let scenario = RestoreScenario(
              way: way, commits: commits, isCompacted: isCompacted, meeting: meeting)
            sites.append((scenario, try scenario.run()))
          }
        }
      }
    }
    #expect(sites.count == 7 * Self.commits.count * 2 * 3)
    try await waitForEvents(sites.map(\.site))
    var passed: [String: Int] = [:]
    for (scenario, site) in sites {
      #expect(site.failures.isEmpty, "\(scenario): \(site.failures)")
      // Of two lines that look alike either may give way, or both.
      let events =
        scenario.way.isHidden
        || Set(site.events) == Set(site.expectedEvents) && site.events.count == scenario.copies
      #expect(events, "\(scenario): \(site.events)")
      if site.failures.isEmpty, events {
        passed["\(scenario.way) \(scenario.commits)", default: 0] += 1
      }
    }
    report(passed)
  }

  /// Waits until as many events were told as there should be; others come before them, or as
  /// the threads that tell them are let on.
  private func waitForEvents(_ sites: [RestoreSite]) async throws {
    for _ in 0..<1_000 where sites.contains(where: { $0.events.count < $0.expectedEvents.count }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(50))
  }

  /// Prints in how many of the six cases of each cell all was well.
  private func report(_ passed: [String: Int]) {
    func cell(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    reportCount("restored or copied, by commits since (cases of 6 in which all was well):")
    let head = Self.commits.map { cell("\($0)", 6) }.joined()
    reportCount("  \(cell("", 34))\(head)")
    for way in RestoreScenario.Way.allCases {
      let cells = Self.commits.map { cell("\(passed["\(way) \($0)"] ?? 0)/6", 6) }
      reportCount("  \(cell(way.rawValue, 34))\(cells.joined())")
    }
  }
}
