/// `crdt-demo simulate`: replicas in processes of their own, on faulty links.
enum SimulateCommand {
  static func run(_ options: SimulationOptions) -> ExitStatus {
    let screen = Screen(isQuiet: options.isQuiet)
    var coordinator = Coordinator(options: options) { screen.console.progress($0) }
    do {
      let result = try coordinator.run()
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

  /// The console, shared with the one who shows progress.
  private final class Screen {
    var console: Console

    init(isQuiet: Bool) {
      console = Console(isQuiet: isQuiet)
    }
  }
}
