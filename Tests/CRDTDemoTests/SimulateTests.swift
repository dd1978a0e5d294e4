import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("crdt-demo simulate", .serialized)
struct SimulateTests {
  /// What a run printed, without the times.
  private func timeless(_ run: DemoRun) -> String {
    run.output.replacing(/"time_ms":[0-9.]+/, with: "").replacing(/\s+[0-9,]+\.\d ms/, with: "")
  }

  private func number(_ name: String, in run: DemoRun) throws -> [Int] {
    let pattern = try Regex("\"\(name)\":(\\d+)", as: (Substring, Substring).self)
    return run.output.matches(of: pattern).compactMap { Int($0.output.1) }
  }

  @Test("prints a row for each replica, and a verdict with the digest all share")
  func table() throws {
    let run = try DemoRun.run("simulate", "--ops=400", "--seed=3")
    #expect(run.errors == "")
    #expect(run.status == 0)
    for replica in 1...4 {
      #expect(run.lines.contains { $0.hasPrefix("\(replica) ") && $0.hasSuffix(" ms") })
    }
    #expect(run.lines[0] == "4 replicas in a mesh, in rounds, 400 operations, seed 3")
    let verdict = try #require(run.lines.last)
    #expect(verdict.contains(/^converged: all 4 replicas hold digest [0-9a-f]{16}$/))
    #expect(!run.output.contains("\u{1B}"))
  }

  @Test("shows every kind of trouble without being asked, and what was exchanged")
  func defaults() throws {
    let run = try DemoRun.run("simulate", "--json")
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    let kinds = ["lost", "duplicated", "reordered", "corrupted"].map { "chunks_\($0)" } + ["cuts"]
    for kind in kinds { #expect(try number(kind, in: run)[0] > 0, "\(kind)") }
    for count in ["streams_damaged", "deltas_learned", "records_purged", "frames_sent"] {
      #expect(try number(count, in: run).allSatisfy { $0 > 0 }, "\(count)")
    }
    #expect(Set(try number("conflicts_open", in: run)).count == 1)
    // Every connection is a stream for either end.
    let connections = try number("connections", in: run)[0]
    #expect(try number("streams", in: run).reduce(0, +) == 2 * connections)
  }

  @Test("prints the same counts and digest for the same command, every time")
  func determinism() throws {
    let bad = ["--loss=0.2", "--duplicate=0.2", "--reorder=0.3", "--corrupt=0.2", "--cut=0.1"]
    for words in [["--seed=1"], ["--seed=2", "--json"] + bad, ["--seed=3", "-t", "ring", "-r5"]] {
      let first = try DemoRun.run(["simulate", "--ops=600"] + words)
      let second = try DemoRun.run(["simulate", "--ops=600"] + words)
      #expect(first.status == 0, "\(words): \(first.errors)")
      #expect(timeless(first) == timeless(second), "\(words)")
    }
    let one = try DemoRun.run("simulate", "--ops=600", "--seed=1")
    let other = try DemoRun.run("simulate", "--ops=600", "--seed=2")
    #expect(one.lines.last != other.lines.last)
  }

  @Test("converges over every topology, however bad the links are")
  func topologies() throws {
    let links = [
      "--loss=0.6", "--corrupt=0.5", "--cut=0.3",
      "--loss=0.3 --duplicate=0.3 --reorder=0.5 --corrupt=0.3 --cut=0.2",
    ]
    for topology in Topology.allCases {
      for faults in links { try converge(topology, faults) }
    }
    for faults in ["--loss=1", "--cut=1", "--corrupt=1"] { try converge(.ring, faults) }
  }

  private func converge(_ topology: Topology, _ faults: String) throws {
    let words = ["simulate", "-r5", "-n300", "--seed=8", "--json", "-t\(topology)"]
    let run = try DemoRun.run(words + faults.split(separator: " ").map(String.init))
    #expect(run.status == 0, "\(topology) \(faults): \(run.errors)\(run.output)")
    #expect(run.output.hasPrefix("{\"converged\":true,"), "\(topology) \(faults)")
    #expect(run.output.contains(#""exact_sums":true,"all_entries":true,"#))
    #expect(try number("operations", in: run) == [300, 60, 60, 60, 60, 60])
  }

  @Test("damages and breaks streams only where the links do")
  func counts() throws {
    let perfect = try DemoRun.run(
      "simulate", "-t", "line", "--json", "--ops=800", "--loss=0", "--duplicate=0",
      "--reorder=0", "--corrupt=0", "--cut=0")
    #expect(try number("streams_damaged", in: perfect) == [0, 0, 0, 0])
    #expect(try number("streams_stalled", in: perfect) == [0, 0, 0, 0])
    // One connection a link from the start, and one to heal.
    #expect(try number("connections", in: perfect) == [6])
    #expect(try number("streams", in: perfect) == [2, 4, 4, 2])

    for (option, count) in [("loss", "chunks_lost"), ("corrupt", "chunks_corrupted")] {
      let bad = try DemoRun.run(
        "simulate", "-t", "line", "--json", "--ops=800", "--loss=0", "--duplicate=0",
        "--reorder=0", "--corrupt=0", "--cut=0", "--\(option)=0.2")
      #expect(try number(count, in: bad)[0] > 0)
      #expect(try number("streams_damaged", in: bad).reduce(0, +) > 0)
      #expect(try number("connections", in: bad)[0] > 6)
    }

    let silent = try DemoRun.run(
      "simulate", "-t", "line", "--json", "--ops=800", "--loss=1", "--cut=0")
    #expect(try number("streams_stalled", in: silent).allSatisfy { $0 > 0 })
    #expect(try number("streams_damaged", in: silent) == [0, 0, 0, 0])
  }

  @Test("converges with two replicas, with many, and with nothing to do")
  func sizes() throws {
    for sizes in ["-r2 -n1", "-r2 -n0", "-r16 -n160 -tstar", "-r9 -n5"] {
      let words = sizes.split(separator: " ").map(String.init)
      let run = try DemoRun.run(["simulate", "-q"] + words)
      #expect(run.status == 0, "\(sizes): \(run.errors)\(run.output)")
    }
  }

  @Test("converges when the replicas run at their own pace")
  func freeRunning() throws {
    for topology in Topology.allCases {
      let run = try DemoRun.run(
        "simulate", "--free-running", "--ops=600", "--json", "-t\(topology)", "--loss=0.2",
        "--reorder=0.3", "--cut=0.1")
      #expect(run.status == 0, "\(topology): \(run.errors)\(run.output)")
      #expect(try number("operations", in: run) == [600, 150, 150, 150, 150])
    }
  }

  @Test("reports a child that dies, hangs or babbles, with its status, and ends")
  func deadChildren() throws {
    let nonsense = "the frame holds no Reply at byte 0"
    let ends: [(kind: String, report: String)] = [
      ("exit", "replica 2 exited with status 7 in round 3"),
      ("kill", "replica 2 was ended by signal 9 (SIGKILL) in round 3"),
      ("hang", "replica 2 said nothing for 2.0 s in round 3; it was killed"),
      ("babble", "replica 2, in round 3, said what makes no sense: \(nonsense)"),
      ("tear", "replica 2 exited with status 7 in round 3, in the middle of a message"),
    ]
    for (kind, report) in ends {
      let run = try DemoRun.run(
        "simulate", "--ops=400", "--timeout=2", "--sabotage=2:3:\(kind)")
      let errors = run.errors.split(separator: "\n")
      #expect(errors.first == "crdt-demo: \(report)")
      #expect(errors.dropFirst().first == "Seed 1. To see it again:")
      #expect(errors.last?.hasSuffix(" --sabotage 2:3:\(kind)") == true)
      #expect(run.output == "")
      #expect(run.status == 2)

      let free = try DemoRun.run(
        "simulate", "-f", "--ops=400", "--timeout=2", "--sabotage=2:3:\(kind)")
      let place = report.replacing("in round 3", with: "while running freely")
      #expect(free.errors.hasPrefix("crdt-demo: \(place)\n"))
      #expect(free.output == "" && free.status == 2)
    }
  }

  @Test("says so when replicas diverge, and in what")
  func divergence() throws {
    let run = try DemoRun.run("simulate", "--ops=400", "--sabotage=2:3:deaf")
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("crdt-demo: the replicas diverged\nSeed 1. To see it again:\n"))
    let verdict = try #require(run.lines.last)
    #expect(verdict.hasPrefix("diverged: replicas hold digests 1: "))
    let parts = "encoding, notes, tasks, drafts, ledger, conflicts"
    #expect(
      verdict.hasSuffix(
        "; they differ in \(parts); counters are not exact; entries are missing"))
    let json = try DemoRun.run("simulate", "--ops=400", "--sabotage=2:3:deaf", "--json")
    #expect(json.status == 1)
    #expect(json.output.hasPrefix("{\"converged\":false,\"digest\":null,"))
  }

  @Test("reports two replicas that write under one identifier")
  func fork() throws {
    for topology in Topology.allCases {
      let run = try DemoRun.run("simulate", "--ops=400", "--sabotage=2:3:fork", "-t\(topology)")
      #expect(run.status == 2, "\(topology)")
      #expect(run.output == "")
      #expect(
        run.errors.contains("both sides write as replica 0000000000000001")
          || run.errors.contains("two places have written as replica 0000000000000001")
          || run.errors.contains("others have seen more of replica 0000000000000001"),
        "\(topology): \(run.errors)")
    }
  }
}
