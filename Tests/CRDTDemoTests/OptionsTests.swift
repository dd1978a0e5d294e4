import Testing

@testable import CRDTSimulator
@testable import Toolkit

@Suite("Options")
struct OptionsTests {
  @Test("have the defaults that the help shows")
  func defaults() throws {
    let plain = try SimulationRequest(words: ["simulate"]).processes.scenario
    #expect(plain == Scenario())
    #expect(plain.replicas == 4)
    #expect(plain.operations == 2_000)
    #expect(plain.seed == 1)
    #expect(plain.topology == .mesh)
    #expect(
      plain.links.faults
        == LinkFaults(loss: 0.02, duplicate: 0.02, reorder: 0.02, corrupt: 0.02, cut: 0.01))
  }

  @Test("give a command that does the same again")
  func commandRoundTrip() throws {
    let words = [
      "simulate", "-r5", "-n", "12", "--seed=99", "--topology", "star", "--loss=0.25",
      "--duplicate=0", "--reorder=1", "--corrupt=0.5", "--cut=0.03", "--free-running",
      "--sabotage=2:1:hang",
    ]
    let request = try SimulationRequest(words: words)
    let again = request.command(seed: 99).split(separator: " ").map(String.init).dropFirst()
    #expect(try SimulationRequest(words: Array(again)) == request)
    #expect(try request.processes.isFreeRunning)
  }

  @Test("refuse every value out of bounds, and say what would do")
  func bounds() {
    let bad = [
      "--replicas=1", "--replicas=65", "--replicas=x", "--replicas=", "--replicas=4.0",
      "--replicas=99999999999999999999", "--ops=-1", "--ops=1e3", "--seed=-1",
      "--seed=18446744073709551616", "--topology=knot", "--topology=", "--topology=mesh:1",
      "--topology=edges:0-9", "--loss=1.1",
      "--loss=-0.1", "--loss=nan", "--loss=inf", "--loss=", "--duplicate=2", "--reorder=x",
      "--corrupt=1.5", "--corrupt=", "--cut=-1", "--cut=often",
      "--timeout=0", "--timeout=1e9", "--sabotage=1:1", "--sabotage=0:1:exit",
      "--sabotage=1:1:nothing", "--sabotage=5:1:exit",
    ]
    for word in bad {
      #expect(throws: UsageError.self, "\(word)") {
        try SimulationRequest(words: ["simulate", word])
      }
    }
    #expect(throws: UsageError("processes can be 64 at most; set the engine to world")) {
      try SimulationRequest(words: ["simulate", "--replicas=65"])
    }
  }

  @Test("take a fresh seed for the asking")
  func randomSeeds() throws {
    let seeds = try (0..<8).map { _ in try OptionValue(name: "seed", text: "random").seed() }
    #expect(Set(seeds).count > 1)
  }
}

extension SimulationRequest {
  /// What `simulate` understands of some words, its own name among them.
  init(words: [String]) throws {
    let arguments = try Arguments(words.dropFirst()[...], of: SimulateCommand.self)
    self = try SimulationRequest(arguments)
  }

  /// What processes are to play where no file says more.
  var processes: ProcessScenario {
    get throws { processes(of: try scenario(from: Scenario())) }
  }
}
