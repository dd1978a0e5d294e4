import CRDTKit
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo simulate with pauses, partitions, joins and leaves", .serialized)
struct SimulateFaultsTests {
  /// What a run printed, without the times.
  private func timeless(_ run: DemoRun) -> String {
    run.output.replacing(/"time_ms":[0-9.]+/, with: "")
  }

  private func number(_ name: String, in run: DemoRun) throws -> [Int] {
    let pattern = try Regex("\"\(name)\":(\\d+)", as: (Substring, Substring).self)
    return run.output.matches(of: pattern).compactMap { Int($0.output.1) }
  }

  /// The first of the numbers of a name: that of the whole run.
  private func total(_ name: String, in run: DemoRun) throws -> Int {
    try #require(try number(name, in: run).first, "\(name)")
  }

  /// Runs a command twice, which must converge and print the same.
  private func twice(_ text: String) throws -> DemoRun {
    let words = ["simulate", "--json"] + text.split(separator: " ").map(String.init)
    let runs = try (0..<2).map { _ in try DemoRun.run(words) }
    for run in runs {
      #expect(run.status == 0, "\(text): \(run.errors)\(run.output)")
      #expect(run.output.contains(#""exact_sums":true,"all_entries":true,"#), "\(text)")
    }
    #expect(timeless(runs[0]) == timeless(runs[1]), "\(text)")
    return runs[0]
  }

  @Test("converges where processes are stopped for a while, by the seed alone")
  func pauses() throws {
    for text in [
      "-n160 --pause=0.3 --seed=1", "-n160 --pause=0.2 -tring -r5 --seed=2 --loss=0.2",
      "-n60 --pause=1 -r3 --seed=3",
    ] {
      let run = try twice(text)
      #expect(try total("pauses", in: run) > 1, "\(text)")
      let operations = try number("operations", in: run)
      #expect(operations.first == operations.dropFirst().reduce(0, +), "\(text)")
    }
  }

  @Test("loses nothing where processes with stores are stopped and killed")
  func pausesAndKills() throws {
    for seed in 1...2 {
      let folder = try TemporaryFolder()
      let run = try DemoRun.run(
        "simulate", "--store=\(folder.path)", "--crash=0.3", "--pause=0.4", "--seed=\(seed)",
        "-n120", "--leave=0.6:1", "--join=0.3:2", "--timeout=100", "--json")
      #expect(run.status == 0, "seed \(seed): \(run.errors)\(run.output)")
      #expect(try total("kills", in: run) > 0 && total("pauses", in: run) > 0)
      #expect(try number("lost", in: run) == [0], "seed \(seed)")
    }
  }

  @Test("tells in a trace who is stopped, comes and leaves, and when the network parts")
  func trace() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/trace.jsonl"
    let words = [
      "simulate", "-n120", "-r4", "--pause=0.2", "--partition=0.2-0.6:0,1/2", "--join=0.4:3",
      "--leave=0.5:0", "--interval=50", "--engine=processes",
    ]
    let run = try DemoRun.run(words + ["--trace=\(path)"])
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    #expect(run.lines.last?.hasPrefix("converged: replicas 2, 3, 4 hold digest ") == true)
    let events = try TraceReader.events(in: path)
    func times(_ kind: TraceEvent.Kind, _ replica: Int? = nil) -> [UInt64] {
      events.filter { $0.kind == kind && $0.replica == replica }.map { $0.time / 1_000 }
    }
    #expect(times(.partition) == [200])
    #expect(times(.heal).first == 600)
    #expect(times(.join, 3) == [400])
    // Who is stopped when it is to leave does so when it goes on.
    #expect(times(.leave, 0).count == 1 && times(.leave, 0).allSatisfy { $0 >= 500 })
    for replica in 0..<4 { #expect(times(.pause, replica).count == times(.resume, replica).count) }
    #expect(events.contains { $0.kind == .pause })
    let isParted = { (event: TraceEvent) in
      event.kind == .receive && (200_000..<600_000).contains(event.time)
        && [[0, 2], [1, 2], [0, 3], [1, 3], [2, 3]].contains(
          [event.replica ?? 0, event.peer ?? 0].sorted())
    }
    #expect(!events.contains(where: isParted))
    #expect(events.allSatisfy { $0.time >= 400_000 || $0.replica != 3 && $0.peer != 3 })
    let again = try #require(events.first?.detail).split(separator: " ").dropFirst()
    let second = "\(folder.path)/again.jsonl"
    _ = try DemoRun.run(again.map(String.init) + ["--trace=\(second)"])
    #expect(try DemoRun.run("trace", path, second).status == 0)
  }

  @Test("converges by groups where those who left kept others together")
  func passages() throws {
    for seed in 1...2 {
      let run = try twice(
        "-r5 -n150 -tline --seed=\(seed) --leave=0.6:2 --join=0.3:1 --partition=0.1-0.5:0,4"
          + " --pause=0.1")
      #expect(try total("operations", in: run) <= 150)
    }
    let run = try DemoRun.run("simulate", "-r3", "-tline", "-n90", "--leave=0.2:1")
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    let verdict = try #require(run.lines.last)
    #expect(
      verdict.contains(
        /^converged: replica 1 holds digest [0-9a-f]{16}; replica 3 holds digest [0-9a-f]{16}$/))
  }

  @Test("stops processes that run freely, and parts their network")
  func freeRunning() throws {
    let folder = try TemporaryFolder()
    for place in 0..<2 {
      let words = ["-f", "-n600", "-r5", "-tring", "--pause=0.2", "--partition=0.02-0.3:0,1"]
      let store = place == 0 ? [] : ["--store=\(folder.path)"]
      let run = try DemoRun.run(["simulate", "--json"] + words + store)
      #expect(run.status == 0, "\(run.errors)\(run.output)")
      #expect(try number("operations", in: run) == [600, 120, 120, 120, 120, 120])
      #expect(try total("pauses", in: run) > 0)
    }
  }

  @Test("waits for what is yet to happen when all operations are made")
  func lateEvents() throws {
    let run = try twice("-r2 -n0 --join=3:1 --partition=1-2:0")
    #expect(try total("rounds", in: run) >= 30)
  }

  @Test("takes every workload, and the lanes of a history")
  func workloads() throws {
    for workload in Workload.allCases where workload != .mixed && workload.isOfDocuments {
      let run = try twice(
        "--engine=processes -n90 -r3 --workload=\(workload) --keys=5 --pause=0.1")
      #expect(try total("operations", in: run) == 90, "\(workload)")
    }
    let fixtures = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
    let run = try twice("--engine=processes -r3 --history=\(fixtures)/Fixtures/nested.tsv")
    let trace = try HistoryTrace(
      parsing: FileReader.read("\(fixtures)/Fixtures/nested.tsv", sizeMax: HistoryTrace.sizeMax))
    let edits = trace.edits(among: 3).edits
    let shares = (0..<3).map { place in edits.count { $0.place == place } }
    #expect(try number("operations", in: run) == [edits.count] + shares)
    #expect(edits.count > 20)
  }

  @Test("goes on where it was in a history when a process is killed")
  func historyAndKills() throws {
    let history =
      #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
      + "/Fixtures/nested.tsv"
    let folder = try TemporaryFolder()
    let words = ["simulate", "--engine=processes", "-r2", "--history=\(history)", "--json"]
    let plain = try DemoRun.run(words)
    let run = try DemoRun.run(words + ["--store=\(folder.path)", "--crash=0.2"])
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    #expect(try total("kills", in: run) > 0)
    #expect(try number("operations", in: run) == number("operations", in: plain))
  }

  @Test("makes operations at a scenario's rate, so that it takes as long as in a world")
  func rate() throws {
    for (rate, rounds) in [("100", 18...25), ("1e9", 1...1), ("50", 35...48)] {
      let run = try twice("--engine=processes -n200 --rate=\(rate) --pause=0 --interval=100")
      let work = try total("rounds", in: run) - total("heal_rounds", in: run)
      #expect(rounds.contains(work), "\(rate): \(work)")
    }
    let slow = try twice("--engine=processes -n12 -r3 --rate=10 --pause=0.2 --jumps=3")
    #expect(try total("rounds", in: slow) > 12)
    #expect(throws: UsageError.self) {
      try SimulationRequest(words: ["simulate", "--engine=processes", "--rate=0.01"])
    }
  }

  @Test("converges over slow links and with wrong clocks")
  func slowness() throws {
    for text in [
      "-n120 --delay=350 --jitter=200", "-n120 --bandwidth=20000 --delay=150 --loss=0.1",
      "-n120 --skew=60000 --drift=10000 --jumps=20 --jump=60000",
      "-n120 -tline --skew=5000 --jumps=3 --delay=120 --pause=0.2 --leave=0.5:3",
    ] { _ = try twice("--engine=processes \(text)") }
    // Answers that take a while are waited for.
    let patient = try twice(
      "--engine=processes -r2 -n20 --delay=2500 --leave=20:1 --loss=0 --corrupt=0 --cut=0"
        + " --duplicate=0 --reorder=0")
    #expect(try number("streams_stalled", in: patient) == [0, 0])
    #expect(try number("deltas_learned", in: patient).allSatisfy { $0 > 0 })
    let free = try DemoRun.run(
      "simulate", "--engine=processes", "-f", "-n90", "-r3", "--delay=8", "--bandwidth=200000")
    #expect(free.status == 0, "\(free.errors)\(free.output)")
  }

  @Test("knows the sabotage of both engines by one grammar")
  func sabotage() throws {
    for kind in WorldFault.allCases where kind != .none {
      let sabotage = try #require(FaultInjection(kind.rawValue), "\(kind)")
      #expect(sabotage.kind.ofWorlds == kind && sabotage.problem(of: .world) == nil)
    }
    for kind in FaultInjection.Kind.allCases {
      let plain = try #require(FaultInjection("\(kind.rawValue)"))
      #expect(
        FaultInjection(plain.description) == plain
          && plain == FaultInjection("1:1:\(kind.rawValue)"))
      #expect(
        [plain.problem(of: .world), plain.problem(of: .processes)].contains(nil), "\(kind.rawValue)"
      )
      #expect(SimulateCommand.help.contains(kind.rawValue), "\(kind.rawValue)")
    }
    let run = try DemoRun.run("simulate", "-n60", "-r2", "--sabotage=deaf")
    #expect(run.status == 1 && run.errors.contains(" --sabotage deaf"))
  }

  @Test("takes partitions, joins and leaves as flags, for both engines")
  func flags() throws {
    let words = [
      "simulate", "--partition=0.5-2:0,1/3", "--partition=3-4:2", "--join=1:3", "--leave=2.5:0",
    ]
    let request = try SimulationRequest(words: words)
    let options = try request.processes.scenario
    #expect(
      options.partitions == [
        .init(from: 0.5, to: 2, groups: [[0, 1], [3]]), .init(from: 3, to: 4, groups: [[2]]),
      ])
    #expect(options.joins == [.init(at: 1, replica: 3)])
    #expect(options.leaves == [.init(at: 2.5, replica: 0)])
    let again = request.command(seed: 1).split(separator: " ").dropFirst().map(String.init)
    #expect(try SimulationRequest(words: again).processes.scenario == options)
    let world = try SimulationRequest(words: words + ["--engine=world"])
    let scenario = try world.scenario(from: Scenario())
    #expect(scenario.partitions == options.partitions && scenario.joins == options.joins)
    #expect(scenario.leaves == options.leaves && scenario.engine == .world)
    for bad in [
      ["--partition=1-2"], ["--partition=2-1:0"], ["--partition=1-2:0,0"], ["--partition=1-2:9"],
      ["--partition=1-2:"], ["--partition=1:2"], ["--partition=1-2-3:0"], ["--partition=-1-2:0"],
      ["--partition=nan-2:0"], ["--partition=1-1e99:0"], ["--join=1"], ["--join=x:1"],
      ["--join=1:4"], ["--join=1:-1"], ["--join=1:1", "--join=2:1"], ["--leave=1e300:0"],
      ["--leave=1:0", "--leave=1:1", "--leave=1:2", "--leave=1:3"], ["--pause=1.1"],
      ["--leave=1:1", "-f"], ["--join=1:1", "-f"],
      ["--join=100000:1"],
    ] {
      #expect(throws: UsageError.self, "\(bad)") {
        try SimulationRequest(words: ["simulate"] + bad)
      }
    }
  }

  @Test("leaves a stopped process its orders, and hears of it when it goes on")
  func pausedNode() throws {
    var child = try ChildProcess(
      path: try DemoRun.path(), arguments: ["crdt-demo", ReplicaCommand.name, "1"])
    defer { _ = child.stop(patiently: false) }
    let settings = ReplicaSettings(
      index: 0, replicas: 2, neighbours: [1], seed: 1, patienceMilliseconds: 60_000)
    child.enqueue(Order.start(settings).frame)
    child.flush()
    child.halt()
    // More than a pipe holds: it waits here, and nobody for it.
    let bytes = Array(repeating: 7 as UInt8, count: 300_000)
    let delivery = LinkMessage(peer: 1, connection: 1, content: .bytes(bytes))
    let order = Order.work(
      round: 1, milliseconds: WorldClock.beginning, target: 3, [delivery])
    child.enqueue(order.frame)
    child.flush()
    #expect(child.waitingCount > 0)
    #expect(try reply(of: &child, tries: 15) == nil)
    child.resume()
    guard case .round(_, let made) = try reply(of: &child, tries: 1_000) else {
      Issue.record("it does not go on")
      return
    }
    #expect(made == 3 && child.waitingCount == 0)
  }

  private func reply(of child: inout ChildProcess, tries: Int) throws -> Reply? {
    for _ in 0..<tries {
      child.flush()
      if try Syscalls.wait(reading: [child.reading], milliseconds: 20)[0].canRead {
        _ = try child.fill()
      }
      if let frame = try child.nextFrame() { return try Reply(body: frame) }
    }
    return nil
  }
}
