package import Toolkit

/// `crdt-demo simulate`: replicas as processes, or in a world, on faulty links.
package enum SimulateCommand {
  static func run(_ request: SimulationRequest) -> ExitStatus {
    let screen = Screen(isQuiet: request.isQuiet)
    do {
      let base =
        try request.file.map { (file) throws(CommandFailure) in try read(file) } ?? Scenario()
      var scenario: Scenario
      do throws(UsageError) {
        scenario = try request.scenario(from: base)
      } catch {
        screen.console.error(error.message)
        screen.console.hint(Console.hint)
        return screen.console.finish(.usage)
      }
      let history = try scenario.history.map { (file) throws(CommandFailure) in
        try readHistory(file)
      }
      guard scenario.engine == .processes else {
        return try play(scenario, history, request, screen)
      }
      if let history { scenario.operations = history.edits(among: 1).edits.count }
      return run(request.processes(of: scenario), history, request, screen)
    } catch {
      screen.console.error(error.description)
      return screen.console.finish(.trouble)
    }
  }

  /// Plays a scenario with processes.
  ///
  /// The trace and the page are written even if it fails.
  private static func run(
    _ setup: ProcessScenario, _ history: HistoryTrace?, _ request: SimulationRequest,
    _ screen: Screen
  ) -> ExitStatus {
    do throws(CommandFailure) {
      let output = try TraceOutput(trace: request.trace, report: request.report)
      var run = ProcessRun(
        setup, history: history, trace: output.sink, progress: screen.progress)
      let result: SimulationResult
      do throws(CommandFailure) {
        result = try run.play()
      } catch {
        try? output.finish()
        throw error
      }
      try output.finish()
      screen.console.clearProgress()
      screen.console.write(
        request.json ? "\(result.json)\n" : result.text { screen.console.styled($0, $1) })
      if result.hasConverged { return screen.console.finish(.success) }
      screen.console.error("the replicas diverged")
      screen.console.hint(setup.hint)
      return screen.console.finish(.diverged)
    } catch {
      screen.console.error(error.description)
      screen.console.hint(setup.hint)
      return screen.console.finish(.trouble)
    }
  }

  /// Plays a scenario in a world.
  private static func play(
    _ scenario: Scenario, _ history: HistoryTrace?, _ request: SimulationRequest,
    _ screen: Screen
  ) throws(CommandFailure) -> ExitStatus {
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
  ) throws(CommandFailure) -> String {
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
      + "  crdt-demo simulate --scenario \(file.quotedForShell)\n"
  }

  private static func read(_ file: String) throws(CommandFailure) -> Scenario {
    let bytes = try CommandFailure.naming(file) { () throws(CommandFailure) in
      try FileReader.read(file, sizeMax: Scenario.sizeMax)
    }
    do {
      return try Scenario(parsing: bytes)
    } catch {
      throw CommandFailure("\(file):\(error)")
    }
  }

  private static func readHistory(_ file: String) throws(CommandFailure) -> HistoryTrace {
    let bytes = try CommandFailure.naming(file) { () throws(CommandFailure) in
      try FileReader.read(file, sizeMax: HistoryTrace.sizeMax)
    }
    do {
      return try HistoryTrace(parsing: bytes)
    } catch {
      throw CommandFailure("\(file):\(error.line): \(error.reason)")
    }
  }
}

extension SimulateCommand: Command {
  package static let name = "simulate"
  package static let operands = "[OPTION]..."
  package static let statuses =
    "0 if the replicas converged, 1 if they did not, or if a world\n"
    + "found something that never may be,"

  package static var options: [ArgumentScanner.Option] { SimulationRequest.known }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(try SimulationRequest(arguments))
  }
}
