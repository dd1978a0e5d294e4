import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo simulate --store", .serialized)
struct SimulateStoreTests {
  /// What a run printed, without the times and what it says of stores.
  private func comparable(_ run: DemoRun) -> String {
    run.output.replacing(/"time_ms":[0-9.]+/, with: "").replacing(/\s+[0-9,]+\.\d ms/, with: "")
      .replacing(/stores: .*\n/, with: "")
  }

  private func number(_ name: String, in run: DemoRun) throws -> [Int] {
    let pattern = try Regex("\"\(name)\":(\\d+)", as: (Substring, Substring).self)
    return run.output.matches(of: pattern).compactMap { Int($0.output.1) }
  }

  /// Every store of a run is sound, and holds what all are said to hold.
  private func checkStores(in folder: String, replicas: Int, after run: DemoRun) throws {
    let digest = try #require(run.output.firstMatch(of: /"digest":"([0-9a-f]{16})"/)?.1)
    for number in 1...replicas {
      let path = "\(folder)/\(number)"
      let report = try Store.verify(at: path)
      #expect(report.isSound, "\(path): \(report.findings)")
      var options = Store.Options()
      options.access = .readOnly
      let store = try Store.open(at: path, options: options)
      #expect(DocumentSummary(document: store.document).digests[0] == digest, "\(path)")
      #expect(store.replica == SharedDocument.replica(number - 1))
      try store.close()
    }
  }

  @Test("gives the same counts and digest as without stores, and leaves sound ones")
  func equality() throws {
    let runs = ["--seed=4 -n300", "--seed=5 -n600 --json", "--seed=6 -n300 -tring -r3 --loss=0.2"]
    for (place, text) in runs.enumerated() {
      let words = ["simulate"] + text.split(separator: " ").map(String.init)
      let folder = try TemporaryFolder()
      let plain = try DemoRun.run(words)
      let stored = try DemoRun.run(words + ["--store=\(folder.path)/stores"])
      #expect(stored.status == 0, "\(text): \(stored.errors)\(stored.output)")
      #expect(comparable(stored) == comparable(plain), "\(text)")
      if place == 1 {
        try checkStores(in: "\(folder.path)/stores", replicas: 4, after: stored)
        // So much was written that segments were filled, and the first made needless
        // by snapshots.
        let segments = "\(folder.path)/stores/1/segments"
        #expect(try !Syscalls.isEmptyFolder(segments))
        #expect(try Syscalls.facts(of: "\(segments)/0000000000000001.segment") == nil)
      }
    }
  }

  @Test("loses nothing that was acknowledged where processes are killed")
  func crashes() throws {
    for (seed, topology) in [(1, "mesh"), (2, "ring"), (3, "star")] {
      let folder = try TemporaryFolder()
      let run = try DemoRun.run(
        "simulate", "--store=\(folder.path)", "--crash=0.2", "--seed=\(seed)", "-t\(topology)",
        "-n240", "--json")
      #expect(run.status == 0, "seed \(seed): \(run.errors)\(run.output)")
      let kills = try number("kills", in: run)
      try #require(!kills.isEmpty, "seed \(seed)")
      #expect(kills[0] > 0 && kills[0] == kills.dropFirst().reduce(0, +), "seed \(seed)")
      #expect(try number("lost", in: run) == [0], "seed \(seed)")
      #expect(try number("operations", in: run) == [240, 60, 60, 60, 60])
      #expect(run.output.contains(#""exact_sums":true,"all_entries":true,"#))
      try checkStores(in: folder.path, replicas: 4, after: run)
    }
  }

  @Test("comes to an end even where every process is killed in every round")
  func alwaysKilled() throws {
    let folder = try TemporaryFolder()
    let run = try DemoRun.run(
      "simulate", "--store=\(folder.path)", "--crash=1", "-r2", "-n20", "--timeout=30")
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    #expect(run.output.contains(/\ncrashes [1-9][0-9]* kills, acknowledged changes lost: 0\n/))
    #expect(run.output.contains(/learned  kills +time\n/))
    #expect(run.lines.last?.hasPrefix("converged: all 2 replicas hold digest ") == true)
  }

  @Test("notices a replica that acknowledges what it has not committed")
  func boasting() throws {
    let folder = try TemporaryFolder()
    let run = try DemoRun.run(
      // A kill finds it only where it comes before the disk, so there are hundreds.
      "simulate", "--store=\(folder.path)", "--crash=0.8", "-r2", "-n1000", "--json",
      "--sabotage=2:1:boast")
    #expect(run.status == 1, "\(run.errors)\(run.output)")
    let hint = "Seed 1. To see it again, with a new folder:\n"
    #expect(run.errors.hasPrefix("crdt-demo: the replicas diverged\n\(hint)"))
    #expect(run.output.hasPrefix(#"{"converged":false,"digest":null,"#))
    #expect(try number("lost", in: run)[0] > 0)
  }

  @Test("runs freely with stores, too")
  func freeRunning() throws {
    let folder = try TemporaryFolder()
    let run = try DemoRun.run(
      "simulate", "--store=\(folder.path)", "--free-running", "-n300", "--json")
    #expect(run.status == 0, "\(run.errors)\(run.output)")
    try checkStores(in: folder.path, replicas: 4, after: run)
  }

  @Test("touches no folder that has something in it")
  func usedFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("note", "keep me")
    let busy = try DemoRun.run("simulate", "--store=\(folder.path)", "-n10")
    #expect(busy.status == 2 && busy.output == "")
    let report = "the folder '\(folder.path)' is not empty; name a new one for the stores"
    #expect(busy.errors.hasPrefix("crdt-demo: \(report)\n"))
    #expect(try folder.names() == ["note"])
    for path in ["\(folder.path)/note", "\(folder.path)/none/stores"] {
      let run = try DemoRun.run("simulate", "--store=\(path)", "-n10")
      #expect(run.status == 2 && run.output == "")
      #expect(run.errors.hasPrefix("crdt-demo: the folder '\(path)' can't be used for stores: "))
    }
    #expect(try folder.names() == ["note"])
  }

  @Test("is refused with options that don't go with it")
  func usage() throws {
    let bad = [
      ["--crash=0.1"], ["--store="], ["--store=d", "--crash=1.1"], ["--store=d", "--crash="],
      ["--store=d", "--crash=0.1", "-f"], ["--store=d", "--sabotage=1:1:fork"],
    ]
    for words in bad {
      #expect(throws: UsageError.self, "\(words)") {
        try SimulationRequest(words: ["simulate"] + words)
      }
    }
    #expect(throws: UsageError("'--crash' needs '--store'")) {
      try SimulationRequest(words: ["simulate", "--crash=0"])
    }
  }

  @Test("is in the command that does the same again, quoted where need be")
  func command() throws {
    let request = try SimulationRequest(words: ["simulate", "--store=a/b", "--crash=0.5"])
    let command = request.command(seed: 1)
    #expect(command.hasSuffix(" --store a/b --crash 0.5"))
    let again = command.split(separator: " ").map(String.init).dropFirst()
    #expect(try SimulationRequest(words: Array(again)).processes == request.processes)
    let odd = try SimulationRequest(words: ["simulate", "--store=it's here", "--crash=0"])
    #expect(odd.command(seed: 1).contains(#" --store 'it'\''s here' --crash"#))
  }
}
