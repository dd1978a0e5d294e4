import Foundation
import Testing

@testable import crdt_demo

/// The offline scenario in eight steps, through the built program, against the traces in
/// `Tests/Fixtures/scenarios`.
@Suite("crdt-demo outbox-scenario")
struct OutboxScenarioTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fixtures/scenarios"

  /// The first line in which two traces differ; `nil` if none does.
  private static func difference(_ found: String, _ expected: String) -> String? {
    let lines = [found, expected].map {
      $0.split(separator: "\n", omittingEmptySubsequences: false)
    }
    for place in 0..<max(lines[0].count, lines[1].count) {
      let (ours, golden) = (lines[0].dropFirst(place).first, lines[1].dropFirst(place).first)
      guard ours != golden else { continue }
      return """
        line \(place + 1) is
          \(ours ?? "not there")
        and not
          \(golden ?? "not there")
        """
    }
    return nil
  }

  @Test(
    "prints its golden trace",
    arguments: [("offline-1.txt", ["-s1"]), ("offline-2.jsonl", ["--seed=2", "--json"])])
  func golden(name: String, options: [String]) throws {
    let run = try DemoRun.run(["outbox-scenario"] + options)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let file = URL(fileURLWithPath: "\(Self.folder)/\(name)")
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(Self.difference(run.output, expected) == nil)
  }

  @Test("has the same events in every run of a seed, and other ones for another")
  func seeds() throws {
    let runs = try [3, 3, 4].map { try DemoRun.run("outbox-scenario", "--json", "--seed=\($0)") }
    #expect(runs.map(\.status) == [0, 0, 0])
    #expect(runs[0].output == runs[1].output)
    #expect(runs[0].output != runs[2].output)
    let names = try runs.map { run in
      try run.lines.map { line in
        let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return event?["event"] as? String ?? ""
      }
    }
    // The order is that of the steps; how often some come follows from the records.
    var steps = names[2]
    for place in steps.indices.dropFirst().reversed() where steps[place] == steps[place - 1] {
      steps.remove(at: place)
    }
    let expected = [
      "load", "offline", "created", "updated", "deleted", "shown", "queued", "refused",
      "restart", "online", "drained", "synced", "compared",
    ]
    #expect(steps == expected)
  }

  @Test("refuses what it doesn't know")
  func usage() throws {
    for words in [["--seed=x"], ["extra"], ["--loud"]] {
      #expect(try DemoRun.run(["outbox-scenario"] + words).status == 64)
    }
  }
}
