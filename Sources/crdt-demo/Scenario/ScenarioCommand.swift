/// `crdt-demo simulate` with a scenario's file, or in a world.
enum ScenarioCommand {
  /// How many steps a schedule has at most that is shrunken when it fails.
  private static let shrinkingMax = 2_000

  static func run(_ request: ScenarioRequest) -> ExitStatus {
    var console = Console(isQuiet: request.isQuiet)
    let scenario: Scenario
    var history: HistoryTrace?
    do {
      let base = try request.file.map { (file) throws(Trouble) in try read(file) } ?? Scenario()
      do throws(UsageError) {
        scenario = try request.scenario(from: base)
      } catch {
        console.error(error.message)
        console.hint(HelpText.hint)
        return console.finish(.usage)
      }
      if let path = scenario.history { history = try readHistory(path) }
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
    guard scenario.engine == .world else {
      return SimulateCommand.run(SimulationOptions(scenario, request))
    }
    let command = request.command(seed: scenario.seed)
    return run(scenario, history, command: command, json: request.json, console: &console)
  }

  private static func run(
    _ scenario: Scenario, _ history: HistoryTrace?, command: String, json: Bool,
    console: inout Console
  ) -> ExitStatus {
    var schedule = scenario.schedule(history: history)
    schedule.command = command
    let start = Syscalls.processorMicroseconds
    let outcome = schedule.play()
    let result = ScenarioResult(
      scenario: scenario, title: schedule.title, outcome: outcome,
      seconds: Double(Syscalls.processorMicroseconds - start) / 1e6)
    console.write(json ? "\(result.json)\n" : result.text { console.styled($0, $1) })
    guard !outcome.violations.isEmpty else { return console.finish(.success) }
    console.error("\(outcome.violations[0])")
    if schedule.steps.count <= shrinkingMax {
      console.hint("The least of it that still fails:\n\(schedule.shrunken())\n")
    }
    console.hint("To see it again:\n  \(command)\n")
    return console.finish(.diverged)
  }

  private static func read(_ file: String) throws(Trouble) -> Scenario {
    let bytes: [UInt8]
    do throws(Trouble) {
      bytes = try FileReader.read(file, sizeMax: Scenario.sizeMax)
    } catch {
      throw Trouble("\(file): \(error)")
    }
    do {
      return try Scenario(parsing: bytes)
    } catch {
      throw Trouble("\(file):\(error)")
    }
  }

  private static func readHistory(_ file: String) throws(Trouble) -> HistoryTrace {
    let bytes: [UInt8]
    do throws(Trouble) {
      bytes = try FileReader.read(file, sizeMax: HistoryTrace.sizeMax)
    } catch {
      throw Trouble("\(file): \(error)")
    }
    do {
      return try HistoryTrace(parsing: bytes)
    } catch {
      throw Trouble("\(file):\(error.line): \(error.reason)")
    }
  }
}

extension SimulationOptions {
  /// The part of a scenario that processes can play.
  init(_ scenario: Scenario, _ request: ScenarioRequest) {
    self.init()
    replicas = scenario.replicas
    operations = scenario.operations
    seed = scenario.seed
    topology = scenario.topology
    faults = scenario.links.faults
    json = request.json
    isQuiet = request.isQuiet
  }
}
