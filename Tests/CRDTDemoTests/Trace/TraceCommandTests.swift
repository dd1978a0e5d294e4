import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo trace")
struct TraceCommandTests {
  /// Scenarios by the names of their traces.
  private static let scenarios = [
    "processes-line": [
      "simulate", "-r3", "-n24", "--seed=8", "--topology=line", "--loss=0.1", "--duplicate=0.1",
      "--corrupt=0.08", "--cut=0.05",
    ],
    "processes-faults": [
      "simulate", "-r4", "-n36", "--seed=5", "--topology=line", "--pause=0.25",
      "--partition=0.2-0.5:0,1", "--partition=0.4-0.7:3", "--join=0.3:3", "--leave=0.6:0",
    ],
    "world-ring": [
      "simulate", "--engine=world", "-r4", "-n16", "--seed=3", "--topology=ring",
      "--workload=set", "--crashes=2", "--loss=0.1",
    ],
  ]

  private static var golden: String { golden("processes-line") }

  /// The trace that a scenario has had until now.
  private static func golden(_ name: String) -> String {
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
      + "/Fixtures/traces/\(name).jsonl"
  }

  @Test("of a named scenario is what it was", arguments: scenarios.keys.sorted())
  func goldenTrace(_ name: String) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/trace.jsonl"
    let scenario = Self.scenarios[name] ?? []
    let run = try DemoRun.run(scenario + ["--trace=\(path)"])
    #expect(run.status == 0, "\(run.errors)")
    let difference = TraceComparison(
      of: try TraceReader.events(in: path), named: "now",
      with: try TraceReader.events(in: Self.golden(name)), named: "\(name).jsonl")
    let hint = "renew it by: crdt-demo \(scenario.joined(separator: " ")) --trace FILE"
    if let difference { Issue.record("\(difference)\n\(hint)") }
    let same = try DemoRun.run("trace", path, Self.golden(name))
    #expect(same.status == (difference == nil ? 0 : 1))
  }

  @Test("shows what differs, with status 1")
  func comparison() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/trace.jsonl"
    var events = try TraceReader.events(in: Self.golden)
    events[4].detail = "another"
    let writer = try TraceWriter(path: path)
    for event in events { writer.write(event) }
    try writer.finish()
    let run = try DemoRun.run("trace", Self.golden, path)
    #expect(run.status == 1 && run.errors == "")
    #expect(run.lines.count == 3)
    #expect(run.lines[0] == "the traces differ first in line 5, in detail:")
    #expect(run.lines[2].hasPrefix("  \(path):5: {\"time\":"))
  }

  @Test("refuses a replica that is not in the trace")
  func stranger() throws {
    let run = try DemoRun.run("trace", Self.golden, "--replica=4")
    #expect(run.status == 64 && run.output == "")
    #expect(
      run.errors.hasPrefix("crdt-demo: invalid value '4' for '--replica': the trace has 3 replicas")
    )
    #expect(try DemoRun.run("trace", Self.golden, "--replica=3").status == 0)
  }

  @Test("lists what it was asked for, and writes a page")
  func rendering() throws {
    let all = try DemoRun.run("trace", Self.golden)
    #expect(all.status == 0 && all.errors == "")
    #expect(all.lines.first?.hasPrefix("3 replicas in a line, in rounds, 24 operations") == true)
    #expect(all.lines.contains { $0.hasPrefix("all ") })
    let part = try DemoRun.run(
      "trace", Self.golden, "--kind=send,receive", "--replica=1", "--from=0.1", "--to=0.25")
    let listed = part.lines.filter { $0.contains(" s  ") }
    #expect(!listed.isEmpty)
    #expect(
      listed.allSatisfy {
        $0.contains(/^ +0\.[12][0-9]* s  replica [12] (sends|receives) message/)
      },
      "\(listed)")
    #expect(listed.allSatisfy { $0.contains("replica 1") })
    let folder = try TemporaryFolder()
    let page = try DemoRun.run("trace", Self.golden, "--html=\(folder.path)/page.html")
    #expect(page.status == 0 && page.output == "")
    let html = try FileReader.read("\(folder.path)/page.html", sizeMax: 1 << 22)
    #expect(html.starts(with: "<!DOCTYPE html>".utf8))
  }

  @Test("is refused where files or options make no sense")
  func refusals() throws {
    let missing = try DemoRun.run("trace", "/nowhere/trace.jsonl")
    #expect(missing.status == 2)
    #expect(missing.errors == "crdt-demo: /nowhere/trace.jsonl: No such file or directory\n")
    let bad = try DemoRun.run("trace", "-", input: "{\"time\":1,\"kind\":\"end\"}\nnonsense\n")
    #expect(bad.status == 2 && bad.output == "")
    #expect(bad.errors == "crdt-demo: -:2:1: expected a value, not 'n'\n")
    let unwritable = try DemoRun.run("simulate", "-n0", "--trace=/nowhere/trace.jsonl")
    #expect(unwritable.status == 2)
    #expect(unwritable.errors.hasPrefix("crdt-demo: /nowhere/trace.jsonl: No such file"))
    let words: [([String], String)] = [
      (["trace"], "missing file operand"),
      (["trace", "a", "b", "c"], "extra operand 'c'"),
      (["trace", "a", "--kind=dance"], "invalid value 'dance' for '--kind': it must be one of"),
      (["trace", "a", "b", "--replica=1"], "two traces are compared as they are"),
      (["trace", "a", "--replica=0"], "invalid value '0' for '--replica'"),
      (["simulate", "--trace="], "'--trace' needs the name of a file"),
    ]
    for (words, message) in words {
      let run = try DemoRun.run(words)
      #expect(run.status == 64)
      #expect(run.errors.hasPrefix("crdt-demo: \(message)"), "\(run.errors)")
    }
  }

  @Test("and the page of a simulation are written however it ends")
  func earlyEnd() throws {
    let folder = try TemporaryFolder()
    let (trace, page) = ("\(folder.path)/trace.jsonl", "\(folder.path)/page.html")
    let run = try DemoRun.run(
      "simulate", "-n400", "--sabotage=2:3:exit", "--trace=\(trace)", "--report=\(page)")
    #expect(run.status == 2)
    let events = try TraceReader.events(in: trace)
    #expect(events.last?.kind == .end)
    let told = "replica 2 exited with status 7 in round 3"
    #expect(events.contains { $0.kind == .violation && $0.detail?.hasPrefix(told) == true })
    let html = String(decoding: try FileReader.read(page, sizeMax: 1 << 22), as: UTF8.self)
    #expect(html.contains(told) && html.hasSuffix("</html>\n"))
  }
}
