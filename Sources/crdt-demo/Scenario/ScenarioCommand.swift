/// `crdt-demo simulate` with a scenario's file, or in a world.
enum ScenarioCommand {
  static func run(_ request: ScenarioRequest) -> ExitStatus {
    let screen = Screen(isQuiet: request.isQuiet)
    let scenario: Scenario
    var history: HistoryTrace?
    do {
      let base = try request.file.map { (file) throws(Trouble) in try read(file) } ?? Scenario()
      do throws(UsageError) {
        scenario = try request.scenario(from: base)
      } catch {
        return refuse(error, screen)
      }
      if let path = scenario.history { history = try readHistory(path) }
    } catch {
      screen.console.error(error.description)
      return screen.console.finish(.trouble)
    }
    guard scenario.engine == .world else {
      do throws(UsageError) {
        return SimulateCommand.run(try request.processes(of: scenario), replaying: history)
      } catch {
        return refuse(error, screen)
      }
    }
    do throws(Trouble) {
      return try play(scenario, history, request, screen)
    } catch {
      screen.console.error(error.description)
      return screen.console.finish(.trouble)
    }
  }

  private static func refuse(_ error: UsageError, _ screen: Screen) -> ExitStatus {
    screen.console.error(error.message)
    screen.console.hint(HelpText.hint)
    return screen.console.finish(.usage)
  }

  /// Plays a scenario in a world.
  private static func play(
    _ scenario: Scenario, _ history: HistoryTrace?, _ request: ScenarioRequest,
    _ screen: Screen
  ) throws(Trouble) -> ExitStatus {
    let output = try TraceOutput(trace: request.trace, report: request.report)
    var schedule = scenario.schedule(history: history)
    schedule.command = request.command(seed: scenario.seed)
    let start = Syscalls.processorMicroseconds
    let outcome = schedule.play(sink: output.sink, progress: screen.progress)
    let result = ScenarioResult(
      scenario: scenario, title: schedule.title, outcome: outcome,
      seconds: Double(Syscalls.processorMicroseconds - start) / 1e6)
    screen.console.clearProgress()
    screen.console.write(
      request.json ? "\(result.json)\n" : result.text { screen.console.styled($0, $1) })
    try output.finish()
    guard let violation = outcome.violations.first else { return screen.console.finish(.success) }
    screen.console.error("\(violation)")
    if request.shrinks {
      let least = schedule.shrunken()
      screen.console.hint(text(of: least))
      if let file = request.saved {
        screen.console.hint(try save(least, madeOf: scenario, to: file))
      }
    }
    screen.console.hint("To see it again:\n  \(schedule.command)\n")
    return screen.console.finish(.diverged)
  }

  private static func text(of least: WorldSchedule) -> String {
    let violation = least.play().violations.first.map { "\($0)" } ?? "nothing"
    return "shrunken: \(violation)\n\(least)\n"
  }

  /// Writes a run that was made smaller as a scenario, if that fails, too; says what was
  /// done.
  private static func save(
    _ least: WorldSchedule, madeOf original: Scenario, to file: String
  ) throws(Trouble) -> String {
    guard least.steps.count <= Scenario.stepsMax else {
      return "It is not saved: it has more than \(Scenario.stepsMax.grouped) steps.\n"
    }
    let text = Scenario(saying: least, madeOf: original).json.indented + "\n"
    // As whoever reads it will have it.
    let written = try? Scenario(parsing: Array(text.utf8))
    guard let written, written.problem == nil,
      !written.schedule().play().violations.isEmpty
    else {
      return "It is not saved: it fails by what no scenario says, such as how long a peer waits.\n"
    }
    try FileWriter.writeText(text, to: file)
    return "To see the smaller run:\n"
      + "  crdt-demo simulate --scenario \(SimulationOptions.quoted(file))\n"
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
  init(_ scenario: Scenario) {
    self.init()
    replicas = scenario.replicas
    operations = scenario.operations
    seed = scenario.seed
    topology = scenario.topology
    (links, clocks) = (scenario.links, scenario.clocks)
    sabotage = scenario.sabotage
    // By itself, a replica makes as many operations in a round as it draws.
    rate = scenario.rate == Scenario().rate ? nil : scenario.rate
    (workload, keys, history) = (scenario.workload, scenario.keys, scenario.history)
    (interval, partitions) = (scenario.interval, scenario.partitions)
    (crash, pause) = (scenario.crash, scenario.pause)
    (joins, leaves) = (scenario.joins, scenario.leaves)
  }
}
