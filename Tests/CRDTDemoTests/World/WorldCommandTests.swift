import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo in virtual time")
struct WorldCommandTests {
  /// The lines that don't tell how long it took.
  private func facts(_ output: String) -> [Substring] {
    output.split(separator: "\n").filter {
      !$0.contains("/s of one core") && !$0.contains("of virtual time in")
    }
  }

  @Test("simulates a world, the same for the same command")
  func simulate() throws {
    let words = [
      "simulate", "--engine=world", "-r6", "--ops=120", "--workload=counter", "-tgrid",
      "--crashes=2", "--skew=500", "--seed=5",
    ]
    let run = try DemoRun.run(words)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.output.hasPrefix("6 replicas in a grid, counter by session, seed 5\n"))
    #expect(run.output.contains("\nconverged: 6 replicas, digest "))
    #expect(facts(try DemoRun.run(words).output) == facts(run.output))
    let json = try DemoRun.run(words + ["--json"])
    #expect(json.output.hasPrefix("{\"converged\":true,\"engine\":\"world\",\"replicas\":6,"))
  }

  @Test("takes a scenario from a file, and flags before it")
  func scenario() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/scenario.json"
    let text = "{\"engine\": \"world\", \"replicas\": 3, \"workload\": \"map\", \"operations\": 40}"
    try FileWriter.write(Array(text.utf8), to: file)
    let run = try DemoRun.run("simulate", "--scenario", file, "-r5")
    #expect(run.status == 0 && run.output.hasPrefix("5 replicas in a mesh, map by session"))
    try FileWriter.write(Array("{\"replicas\": 3,\n \"size\": 1}".utf8), to: file)
    let bad = try DemoRun.run("simulate", "--scenario", file)
    #expect(bad.status == 2)
    #expect(bad.errors == "crdt-demo: \(file):2:2: there is no field 'size' here\n")
    let missing = try DemoRun.run("simulate", "--scenario", "\(folder.path)/none")
    #expect(missing.status == 2 && missing.errors.contains("No such file"))
  }

  @Test("says what went wrong, its least part, and the command that does it again")
  func violation() throws {
    let words = ["--engine", "world", "--ops", "60", "--sabotage", "deaf", "--seed", "3"]
    let run = try DemoRun.run(["simulate", "--shrink"] + words)
    #expect(run.status == 1)
    #expect(run.output.contains("\nviolation at "))
    #expect(run.errors.contains("\nshrunken: at "))
    #expect(
      run.errors.hasSuffix(
        "To see it again:\n  crdt-demo simulate \(words.joined(separator: " "))\n"),
      "\(run.errors)")
  }

  @Test("soaks so many worlds, and tells of each class of fault")
  func soak() throws {
    let run = try DemoRun.run("soak", "-n40", "--seed=70", "--lanes=2")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.output.hasPrefix("40 schedules, "))
    #expect(run.output.contains("\nfaults found: 0\n"))
    for (name, _) in WorldCounts().faults { #expect(run.output.contains("  \(name): ")) }
    let words = [
      ["-n0"], ["--minutes=0"], ["--lanes=x"], ["more"], ["--style=disk"], ["--sabotage=x"],
      ["--style=session", "--sabotage=store-fdatasync"],
    ]
    for words in words {
      #expect(try DemoRun.run(["soak"] + words).status == 64, "\(words)")
    }
  }

  @Test("soaks worlds of one style, or sabotaged, and says how to see it again")
  func sabotagedSoak() throws {
    let sound = try DemoRun.run("soak", "-n4", "--style", "outbox")
    #expect(sound.status == 0 && sound.output.contains("\noutboxes: "), "\(sound.output)")
    let lying = try DemoRun.run("soak", "-n8", "--sabotage", "store-fdatasync", "--quiet")
    #expect(lying.status == 1)
    #expect(lying.output.contains("\nshrunken: at "))
    #expect(
      lying.output.contains(
        "To see it again:\n  crdt-demo soak --seed 2 --schedules 1 --sabotage store-fdatasync\n"),
      "\(lying.output)")
  }
}
