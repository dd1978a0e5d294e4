import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("The program's command line")
struct CommandLineTests {
  private static let hint = "Try 'crdt-demo --help' for more information.\n"

  @Test("shows its help and its version on the standard output")
  func helpAndVersion() throws {
    let pages: [(words: [String], text: String)] = [
      (["--help"], CRDTDemo.help), (["-h"], CRDTDemo.help), (["help"], CRDTDemo.help),
      (["help", "soak"], SoakCommand.page),
      (["simulate", "--help"], SimulateCommand.page),
      (["replay", "--hel"], ReplayCommand.page),
      (["store", "--help"], StoreCommand.page),
      (["store", "get", "-h"], StoreCommand.page),
      (["experiment", "growth", "--help"], ExperimentCommand.page),
    ]
    for (words, text) in pages {
      let run = try DemoRun.run(words)
      #expect(run.output == text, "\(words)")
      #expect(run.errors == "")
      #expect(run.status == 0)
    }
    for words in [["--version"], ["-V"], ["simulate", "-V"]] {
      let run = try DemoRun.run(words)
      #expect(run.output == "crdt-demo 0.1.0\n")
      #expect(run.errors == "")
      #expect(run.status == 0)
    }
  }

  @Test("has a line of help for every option, none wider than a screen")
  func helpIsComplete() {
    let store = StoreVerb.allCases.flatMap(\.options)
    let plain = CRDTDemo.commands.filter { $0 != StoreCommand.self && $0 != NotesCommand.self }
    for option in plain.flatMap({ $0.options }) + store {
      #expect(CRDTDemo.help.contains("--\(option.name)"), "\(option.name)")
    }
    for verb in StoreVerb.allCases {
      #expect(CRDTDemo.help.contains("\n  store \(verb.rawValue) DIR"), "\(verb)")
    }
    for text in CRDTDemo.commands.map({ $0.page }) + [CRDTDemo.help] {
      for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test("is refused with the reason, status 64, and nothing on the standard output")
  func usageErrors() throws {
    let cases: [(words: [String], message: String)] = [
      ([], "missing command"),
      (["dance"], "unknown command 'dance'"),
      (["help", "dance"], "unknown command 'dance'"),
      (["--json"], "unrecognized option '--json'"),
      (["-x"], "invalid option -- 'x'"),
      (["simulate", "now"], "extra operand 'now'"),
      (["simulate", "--colour"], "unrecognized option '--colour'"),
      (["simulate", "--json=1"], "option '--json' doesn't allow an argument"),
      (["simulate", "--seed"], "option '--seed' requires an argument"),
      (["simulate", "-r"], "option requires an argument -- 'r'"),
      (
        ["simulate", "--loss=2"],
        "invalid value '2' for '--loss': it must be a number from 0 to 1"
      ),
      (
        ["simulate", "--topology", "knot"],
        "invalid value 'knot' for '--topology': it must be \(Topology.forms)"
      ),
      (["replay"], "missing file operand"),
      (["replay", "a", "b"], "extra operand 'b'"),
      (["replay", "--seed=1", "a"], "unrecognized option '--seed'"),
      (["store"], "missing command after 'store'"),
      (["store", "dance", "d"], "unknown command 'store dance'"),
      (["store", "--json"], "unrecognized option '--json'"),
    ]
    for (words, message) in cases {
      let run = try DemoRun.run(words)
      #expect(run.errors == "crdt-demo: \(message)\n\(Self.hint)")
      #expect(run.output == "")
      #expect(run.status == 64)
    }
  }

  @Test("reports results that can't be written", .enabled(if: DemoRun.hasFullDevice))
  func fullDevice() throws {
    let full = try DemoRun.openFullDevice()
    defer { Syscalls.closeDescriptor(full) }
    for words in [["--help"], ["simulate", "--ops=40"]] {
      let run = try DemoRun.run(words, output: full)
      #expect(run.errors == "crdt-demo: write error: No space left on device\n")
      #expect(run.status == 2)
    }
  }

  @Test("does not take a replica's orders from just anyone")
  func strayReplica() throws {
    let silent = try DemoRun.run("replica")
    #expect(silent.output == "" && silent.status == 0)
    let confused = try DemoRun.run("replica", input: "hello, replica")
    #expect(
      confused.errors
        == "crdt-demo: a replica ended: a message of 1819043176 bytes is too long\n")
    #expect(confused.output == "" && confused.status == 2)
  }
}
