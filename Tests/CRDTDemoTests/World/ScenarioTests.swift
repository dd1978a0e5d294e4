import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Scenarios")
struct ScenarioTests {
  private func scenario(_ json: String) throws -> Scenario {
    try Scenario(parsing: Array(json.utf8))
  }

  @Test("have a default for every field")
  func defaults() throws {
    #expect(try scenario("{}") == Scenario())
    #expect(Scenario().links.faults == .standard)
    #expect(Scenario().problem == nil)
  }

  @Test("take every field")
  func fields() throws {
    let found = try scenario(
      """
      {
        "engine": "world", "replicas": 9, "topology": "tree", "workload": "set",
        "style": "datagram", "history": "h.tsv", "operations": 10, "rate": 2.5, "interval": 20,
        "keys": 3, "seed": 18446744073709551615,
        "links": {"delay": 20, "jitter": 0.5, "bandwidth": 1000, "loss": 0.1, "duplicate": 0.2,
                  "reorder": 0.3, "corrupt": 0.4, "cut": 0.5, "late": 7, "reconnect": 8},
        "partitions": [{"from": 1, "to": 2.5, "groups": [[0, 1], [2]]}],
        "clocks": {"skew": 1, "drift": 2, "jumps": 3, "jump": 4},
        "crashes": {"count": 1, "torn": 2, "restores": 3, "down": 4, "death": 0.25},
        "joins": [{"at": 1, "replica": 8}], "leaves": [{"at": 2, "replica": 7}],
        "disks": {"relaxed": 0.5, "faults": 0.25, "compaction": 0},
        "sabotage": "deaf", "checks": 0.5, "crash": 0.125, "pause": 0.25
      }
      """)
    var expected = Scenario()
    expected.engine = .world
    (expected.replicas, expected.topology) = (9, .tree)
    (expected.workload, expected.style, expected.history) = (.set, .datagram, "h.tsv")
    (expected.operations, expected.rate, expected.interval) = (10, 2.5, 20)
    (expected.keys, expected.seed) = (3, .max)
    expected.links = LinkConditions(
      delay: 20_000, jitter: 500, bandwidth: 1_000,
      faults: LinkFaults(loss: 0.1, duplicate: 0.2, reorder: 0.3, corrupt: 0.4, cut: 0.5),
      lateMax: 7_000, reconnectMax: 8_000)
    expected.partitions = [.init(from: 1, to: 2.5, groups: [[0, 1], [2]])]
    expected.clocks = .init(skew: 1, drift: 2, jumps: 3, jump: 4)
    expected.crashes = .init(count: 1, torn: 2, restores: 3, down: 4, death: 0.25)
    expected.joins = [.init(at: 1, replica: 8)]
    expected.leaves = [.init(at: 2, replica: 7)]
    expected.disks = DiskSettings(relaxed: 0.5, faults: 0.25, compaction: 0)
    expected.sabotage = FaultInjection(replica: 0, round: 1, kind: .deaf)
    (expected.checks, expected.crash, expected.pause) = (0.5, 0.125, 0.25)
    #expect(found == expected)
  }

  @Test("take links as a list")
  func edges() throws {
    let found = try scenario("{\"replicas\": 3, \"topology\": [[0, 1], [1, 2]]}")
    #expect(found.topology == Topology("edges:0-1,1-2"))
  }

  @Test("refuse what they don't know and what is out of bounds, with its place")
  func refusals() {
    let cases = [
      ("{\"replica\": 3}", "1:2: there is no field 'replica' here"),
      ("{\n  \"links\": {\"lost\": 1}}", "2:13: there is no field 'lost' here"),
      ("{\"replicas\": 1}", "1:14: 'replicas' must be a whole number from 2 to 1000"),
      ("{\"replicas\": 2.5}", "1:14: 'replicas' must be a whole number from 2 to 1000"),
      ("{\"engine\": \"disk\"}", "1:12: 'engine' must be one of processes, world"),
      ("{\"links\": {\"loss\": 2}}", "1:20: 'loss' must be a number from 0 to 1"),
      ("{\"partitions\": 3}", "1:16: 'partitions' must be an array of at most 1000 objects"),
      ("[]", "1:1: an object is expected here"),
      ("{", "1:2: expected a member's name in quotation marks, not the end of the text"),
    ]
    for (json, message) in cases {
      do {
        _ = try scenario(json)
        Issue.record("\(json) was taken")
      } catch {
        #expect("\(error)" == message)
      }
    }
  }

  @Test("refuse fields that don't go together, once the flags are known")
  func problems() throws {
    let cases: [(json: String, problem: String?)] = [
      (
        "{\"engine\": \"world\", \"joins\": [{\"replica\": 4}]}",
        "there is no replica 4: the last is 3"
      ),
      ("{\"replicas\": 65}", "processes can be 64 at most; set the engine to world"),
      (
        "{\"style\": \"datagram\", \"checks\": 1, \"keys\": 3}",
        "processes have no style, checks: set the engine to world"
      ),
      (
        "{\"workload\": \"text\"}",
        "processes hold documents, not a text: set the engine to world"
      ),
      (
        "{\"links\": {\"loss\": 0.1, \"late\": 9}}",
        "processes have no late or reconnect of links: set the engine to world"
      ),
      (
        "{\"sabotage\": \"backwards\"}",
        "processes have no sabotage 'backwards': set the engine to world"
      ),
      (
        """
        {"workload": "set", "keys": 3, "interval": 5, "rate": 2000, "crash": 0.1, "pause": 0.2,
         "links": {"delay": 2, "jitter": 1, "bandwidth": 9, "loss": 0.1},
         "clocks": {"skew": 2, "drift": 1, "jumps": 3, "jump": 9},
         "joins": [{"at": 1, "replica": 1}], "leaves": [{"at": 2, "replica": 2}],
         "partitions": [{"from": 1, "to": 2, "groups": [[0]]}], "history": "h"}
        """, nil
      ),
    ]
    for (json, problem) in cases {
      var scenario = try scenario(json)
      #expect(scenario.problem == problem)
      (scenario.engine, scenario.replicas) = (.world, 70)
      #expect(scenario.problem == nil, "\(json)")
    }
  }

  @Test("refuse what a style of world hasn't")
  func styles() throws {
    let cases: [(json: String, problem: String?)] = [
      ("\"style\": \"store\"", nil),
      ("\"style\": \"store\", \"workload\": \"notes\", \"sabotage\": \"store-fdatasync\"", nil),
      (
        "\"style\": \"store\", \"workload\": \"set\"",
        "stores hold documents: set the workload to mixed or notes"
      ),
      (
        "\"style\": \"store\", \"workload\": \"text\"",
        "stores hold documents: set the workload to mixed or notes"
      ),
      (
        "\"style\": \"session\", \"sabotage\": \"store-fdatasync\"",
        "worlds of the style session can't be sabotaged by store-fdatasync"
      ),
      ("\"style\": \"outbox\", \"topology\": \"star\", \"sabotage\": \"forgetful\"", nil),
      (
        "\"style\": \"outbox\", \"topology\": \"ring\"", "apps with an outbox are in a star"
      ),
      (
        "\"style\": \"outbox\", \"workload\": \"notes\"",
        "apps with an outbox have no other workload"
      ),
      (
        "\"style\": \"outbox\", \"leaves\": [{\"at\": 1, \"replica\": 0}]",
        "replica 0 is the server, which neither joins nor leaves"
      ),
    ]
    for (json, problem) in cases {
      let scenario = try scenario("{\"engine\": \"world\", \(json)}")
      #expect(scenario.problem == problem)
      guard problem == nil else { continue }
      var short = scenario
      (short.operations, short.sabotage) = (60, .none)
      (short.crashes.count, short.crashes.torn, short.disks.faults) = (3, 2, 0.1)
      let outcome = short.schedule().play()
      #expect(outcome.violations.isEmpty, "\(json): \(outcome.violations)")
      #expect(outcome.counts.disks.commits > 5)
    }
  }

  @Test("are bounded everywhere: no number traps")
  func bounds() {
    let names = [
      "replicas", "operations", "rate", "interval", "keys", "seed", "checks", "crash", "pause",
    ]
    for name in names {
      for number in ["-1e308", "1e308", "-1", "9223372036854775808", "1e-320"] {
        _ = try? scenario("{\"engine\": \"world\", \"\(name)\": \(number)}")
      }
    }
    for json in [
      "{\"engine\":\"world\",\"partitions\":[{\"from\":1e308,\"to\":1,\"groups\":[[1]]}]}",
      "{\"engine\":\"world\",\"topology\":[[0,999]]}",
      "{\"engine\":\"world\",\"topology\":[[0]]}",
      "{\"engine\":\"world\",\"partitions\":[{\"from\":0,\"to\":1,\"groups\":[[0,0]]}]}",
    ] {
      let found = try? scenario(json)
      #expect(found == nil || found?.problem != nil, "\(json)")
    }
  }

  @Test("give way to flags, and give a command that does the same again")
  func flags() throws {
    let words = [
      "simulate", "--engine=world", "-r", "12", "--workload=set", "--style", "datagram",
      "--loss=0.3", "--seed=7", "--topology=mesh:4",
    ]
    let request = try SimulationRequest(words: words)
    let scenario = try request.scenario(from: Scenario())
    #expect(scenario.replicas == 12 && scenario.workload == .set && scenario.style == .datagram)
    #expect(scenario.links.faults.loss == 0.3 && scenario.links.faults.cut == 0.01)
    let command = request.command(seed: scenario.seed)
    let again = command.split(separator: " ").map(String.init).dropFirst()
    let second = try SimulationRequest(words: Array(again))
    #expect(try second.scenario(from: Scenario()) == scenario)
  }

  @Test("refuse what would never end")
  func length() throws {
    let endless = try scenario("{\"engine\": \"world\", \"operations\": 20000000, \"rate\": 0.001}")
    #expect(endless.problem?.hasPrefix("20000000000 s of virtual time") == true)
    let late =
      "{\"engine\": \"world\", \"interval\": 0.001, \"joins\": [{\"at\": 1e6, \"replica\": 1}]}"
    #expect(try scenario(late).problem != nil)
    #expect(try scenario("{\"engine\": \"world\", \"replicas\": 1000}").problem == nil)
  }

  @Test("take what only processes have, where a file says that they are it")
  func processes() throws {
    let words = [
      "simulate", "--scenario=f", "--store=s", "--crash=0.1", "--timeout=5", "--trace=t", "-r5",
    ]
    let request = try SimulationRequest(words: words)
    let scenario = try request.scenario(from: try scenario("{\"operations\": 7}"))
    let processes = request.processes(of: scenario)
    var expected = ProcessScenario(store: "s", timeoutSeconds: 5, command: processes.command)
    (expected.scenario.replicas, expected.scenario.operations) = (5, 7)
    expected.scenario.crash = 0.1
    #expect(processes == expected && request.trace == "t")
    let world = try self.scenario("{\"engine\": \"world\"}")
    #expect(throws: UsageError("'--store' needs the engine of processes")) {
      try request.scenario(from: world)
    }
  }

  @Test("write a trace and a page of a world that tell of every state")
  func traceAndReport() throws {
    let folder = try TemporaryFolder()
    let (trace, page) = ("\(folder.path)/t.jsonl", "\(folder.path)/p.html")
    let words = ["simulate", "--engine=world", "-r3", "-n30", "--workload=set", "--crashes=2"]
    let run = try DemoRun.run(words + ["--trace=\(trace)", "--report=\(page)"])
    #expect(run.status == 0 && run.errors == "")
    let events = try TraceReader.events(in: trace)
    #expect(events.first?.value == run.lines.first.map(String.init))
    #expect(events.last?.kind == .end && events.last?.detail == "converged")
    for event in events where [.edit, .learn, .restart].contains(event.kind) {
      #expect(event.digest != nil && event.value != nil, "\(event)")
    }
    let again = try #require(events.first?.detail).split(separator: " ").dropFirst().map(
      String.init)
    let second = "\(folder.path)/u.jsonl"
    _ = try DemoRun.run(again + ["--trace=\(second)"])
    #expect(try DemoRun.run("trace", trace, second).status == 0)
    let html = String(decoding: try FileReader.read(page, sizeMax: 1 << 24), as: UTF8.self)
    #expect(html.contains("<h1>3 replicas in a mesh, set by session, seed 1</h1>"))
    #expect(html.contains("id=\"slider\""))
  }

  @Test("that fail are shown with the command, and made smaller for the asking")
  func failures() throws {
    let words = ["simulate", "--engine=world", "-r3", "-n20", "--sabotage=deaf", "--seed=2"]
    let run = try DemoRun.run(words + ["--shrink"])
    #expect(run.status == 1)
    #expect(run.errors.contains("\nshrunken: "))
    #expect(run.errors.contains("loss 0.0"))
    #expect(run.errors.hasSuffix("--seed 2\n"))
  }

  @Test("refuse flags that their engine has not")
  func misplacedFlags() throws {
    for words in [
      ["--engine=world", "--store=x"], ["--engine=world", "--free-running"],
      ["--engine=world", "--replicas=1001"], ["--engine=world", "--topology=mesh:9"],
      ["--engine=moon"], ["--workload=sets"], ["--engine=world", "--sabotage=1:1:exit"],
      ["--engine=world", "--sabotage=2:1:deaf"], ["--sabotage=backwards"],
      ["--sabotage=5:1:deaf"],
      ["--scenario="],
    ] {
      #expect(throws: UsageError.self, "\(words)") {
        try SimulationRequest(words: ["simulate"] + words)
      }
    }
    let plain = try? SimulationRequest(words: ["simulate", "-r5"]).processes.scenario
    let named = try? SimulationRequest(words: ["simulate", "--engine=processes", "-r5"])
    #expect(try plain != nil && plain == named?.processes.scenario)
  }
}
