import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Scenarios of steps")
struct ScenarioStepsTests {
  private func scenario(_ json: String) throws -> Scenario {
    try Scenario(parsing: Array(json.utf8))
  }

  /// One of each.
  private static let steps: [WorldSchedule.Step] = [
    .init(time: 0, what: .edit(1, 12_345_678_901_234_567)),
    .init(time: 5, what: .cut(0, 2, pause: 700)),
    .init(time: 5, what: .partition([[0], [1, 2]], length: 8)),
    .init(time: 6, what: .crash(2, .torn, draw: 99, down: 1_000)),
    .init(time: 7, what: .crash(1, .inPlace, draw: 98, down: 1_001)),
    .init(time: 7, what: .copy(0, to: 1, draw: 97)),
    .init(time: 7, what: .pause(1, length: 50)),
    .init(time: 8, what: .jump(0, -60_000)),
    .init(time: 9, what: .join(2)),
    .init(time: 10, what: .leave(0)),
  ]

  @Test("are written so that they read as they were")
  func roundTrip() throws {
    var scenario = Scenario()
    (scenario.engine, scenario.workload, scenario.replicas) = (.world, .set, 3)
    (scenario.style, scenario.topology, scenario.seed) = (.datagram, .line, .max)
    scenario.links = LinkConditions(
      delay: 20_500, jitter: 500, bandwidth: 1_000,
      faults: LinkFaults(loss: 0.1, duplicate: 0.2, reorder: 0.3, corrupt: 0.4, cut: 0.5),
      lateMax: 7_000, reconnectMax: 8_001)
    (scenario.clocks.skew, scenario.clocks.drift, scenario.crashes.death) = (5, 6, 0.125)
    (scenario.decoding, scenario.checks, scenario.sabotage) = (
      0.25, 0.5, FaultInjection("backwards")
    )
    scenario.steps = Self.steps
    #expect(try self.scenario(scenario.json.indented) == scenario)
    #expect(scenario.problem == nil)
    let schedule = scenario.schedule()
    #expect(schedule.steps == Self.steps && schedule.settings.isMortal)
    #expect(schedule.play().violations == schedule.play().violations)
  }

  @Test("are refused where they say nothing, two things or what can't be")
  func refusals() throws {
    for step in [
      "{}", "{\"edit\": 1, \"join\": 2}", "{\"edit\": -1}", "{\"edit\": 1000}",
      "{\"cut\": [1]}", "{\"time\": 1e13, \"edit\": 0}", "{\"jump\": 0, \"by\": 60001}",
      "{\"pause\": 1, \"for\": 0}", "{\"crash\": 1, \"kind\": \"bang\"}", "{\"dance\": 1}", "[]",
    ] {
      #expect(throws: JSONFailure.self, "\(step)") {
        try scenario("{\"engine\": \"world\", \"steps\": [\(step)]}")
      }
    }
    for (steps, problem) in [
      ("{\"edit\": 4}", "there is no replica 4: the last is 3"),
      ("{\"partition\": [[0, 9]]}", "there is no replica 9: the last is 3"),
      ("{\"join\": 1}, {\"join\": 1}", "a replica can't join twice"),
      (
        "{\"leave\": 0}, {\"leave\": 1}, {\"leave\": 2}, {\"leave\": 3}",
        "not all replicas can leave"
      ),
      (
        "{\"time\": 2, \"edit\": 0}, {\"time\": 1, \"edit\": 0}",
        "steps must be in the order of their times"
      ),
    ] {
      let found = try scenario("{\"engine\": \"world\", \"steps\": [\(steps)]}")
      #expect(found.problem == problem)
    }
    #expect(
      try scenario("{\"steps\": [{\"edit\": 0}]}").problem
        == "processes have no steps: set the engine to world")
  }

  @Test("play as any others, whatever is in them")
  func playing() throws {
    var scenario = Scenario()
    (scenario.engine, scenario.replicas) = (.world, 3)
    for workload in Workload.allCases {
      for style in WorldStyle.allCases {
        (scenario.workload, scenario.style, scenario.steps) = (workload, style, Self.steps)
        let outcome = scenario.schedule().play()
        #expect(outcome.violations.isEmpty, "\(workload) \(style): \(outcome.violations)")
      }
    }
  }

  @Test("keep the least part of a run that fails, as a file")
  func saving() throws {
    let folder = try TemporaryFolder()
    for (place, text) in [
      "--sabotage=deaf --ops=40", "--sabotage=deaf --ops=40 --style=datagram --skew=100 --jitter=5",
      "--sabotage=backwards --ops=600 --workload=set --crash=0.2 --pause=0.1 --rate=300",
      "--sabotage=forgetful --ops=300 --workload=set --crash=0.2 --pause=0.1 --rate=200",
    ].enumerated() {
      let file = "\(folder.path)/least-\(place).json"
      let words = ["simulate", "--engine=world"] + text.split(separator: " ").map(String.init)
      let run = try DemoRun.run(words + ["--shrink", "--save=\(file)"])
      #expect(run.status == 1, "\(text): \(run.errors)")
      #expect(run.errors.contains("  crdt-demo simulate --scenario \(file)\n"), "\(run.errors)")
      let again = try DemoRun.run("simulate", "--scenario", file)
      #expect(again.status == 1, "\(text): \(again.output)")
      let shrunken = try #require(run.errors.firstMatch(of: /\nshrunken: (.*)\n/)?.1)
      #expect(again.errors.contains("\(shrunken)"), "\(shrunken): \(again.errors)")
    }
    #expect(throws: UsageError("'--save' needs '--shrink'")) {
      try SimulationRequest(words: ["simulate", "--engine=world", "--save=x"])
    }
  }
}
