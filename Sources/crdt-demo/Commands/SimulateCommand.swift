/// `crdt-demo simulate`: replicas in processes of their own, on faulty links.
enum SimulateCommand {
  static func run(
    _ options: SimulationOptions, replaying history: HistoryTrace? = nil
  ) -> ExitStatus {
    var options = options
    if let history { options.operations = history.edits(among: 1).edits.count }
    let screen = Screen(isQuiet: options.isQuiet)
    do {
      let output = try TraceOutput(trace: options.trace, report: options.report)
      let result = try run(options, history, showing: screen, to: output)
      screen.console.clearProgress()
      screen.console.write(
        options.json
          ? "\(result.json)\n" : result.text { screen.console.styled($0, $1) })
      if result.hasConverged { return screen.console.finish(.success) }
      screen.console.error("the replicas diverged")
      screen.console.hint(options.hint)
      return screen.console.finish(.diverged)
    } catch {
      screen.console.error(error.description)
      screen.console.hint(options.hint)
      return screen.console.finish(.trouble)
    }
  }

  /// Runs the simulation; its trace and its page are written however it ends.
  private static func run(
    _ options: SimulationOptions, _ history: HistoryTrace?, showing screen: Screen,
    to output: TraceOutput
  ) throws(Trouble) -> SimulationResult {
    var coordinator = Coordinator(
      options: options, history: history, trace: output.sink, progress: screen.progress)
    let result: SimulationResult
    do {
      result = try coordinator.run()
    } catch {
      try? output.finish()
      throw error
    }
    try output.finish()
    return result
  }
}
