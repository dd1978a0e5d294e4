import CRDTSimulator
import Toolkit

/// The demo program: replicated data on faulty links, on a real history, in git, in a
/// store, and in an app.
@main
enum CRDTDemo {
  /// The commands, in the order of the help.
  static var commands: [any Command.Type] {
    [
      SimulateCommand.self, SoakCommand.self, TraceCommand.self, ExperimentCommand.self,
      ReplayCommand.self, MergeCommand.self, ConvertCommand.self, StoreCommand.self,
      ServeCommand.self, NotesCommand.self, EditCommand.self,
      OutboxScenarioCommand.self,
    ]
  }

  /// Commands that other commands start.
  private static var innerCommands: [any Command.Type] {
    [
      ReplicaCommand.self, ReferenceServerCommand.self,
    ]
  }

  static func main() async {
    Syscalls.prepareProcess()
    Syscalls.exitNow(await run(CommandLine.arguments.dropFirst()).rawValue)
  }

  /// Does what the command line asks for.
  private static func run(_ words: ArraySlice<String>) async -> ExitStatus {
    do throws(UsageError) {
      guard let name = words.first else { throw UsageError("missing command") }
      let rest = words.dropFirst()
      if name == "help" {
        guard let topic = rest.first else { return show(help) }
        return show(try command(topic, among: commands).page)
      }
      if name.hasPrefix("-") {
        let arguments = try Arguments([name], options: Arguments.commonOptions)
        if arguments.isHelp { return show(help) }
        if arguments.isVersion { return show(Console.version) }
        throw UsageError("missing command")
      }
      let command = try command(name, among: commands + innerCommands)
      let arguments = try Arguments(rest, of: command)
      if arguments.isHelp { return show(command.page) }
      if arguments.isVersion { return show(Console.version) }
      return try await command.run(arguments)
    } catch {
      var console = Console()
      console.error(error.message)
      console.hint(Console.hint)
      return .usage
    }
  }

  private static func show(_ text: String) -> ExitStatus {
    var console = Console()
    console.write(text)
    return console.finish(.success)
  }

  private static func command(
    _ name: String, among commands: [any Command.Type]
  ) throws(UsageError) -> any Command.Type {
    guard let command = commands.first(where: { $0.name == name }) else {
      throw UsageError("unknown command '\(name)'")
    }
    return command
  }

  /// All of it, command by command.
  static let help = """
    Usage: \(commands.map { $0.usage }.joined(separator: "\n  or:  "))
    Show replicated data at work: on faulty links, on a real history, in git, in a
    store, and in an app. 'crdt-demo COMMAND --help' tells of one command alone.

    \(commands.map { $0.help }.joined(separator: "\n\n"))

      -h, --help             show this help, or a command's, and exit
      -V, --version          show the version and exit

    Exit status: 0 if the replicas converged, the history was replayed or the files
    merged, 1 if the replicas diverged, two traces differ or the files are in
    conflict, if a store has not what it was asked for or isn't sound, if a rule
    kept a field from being written, if a world found something that never may be,
    if what was asked of notes is not so, or if the server has something else in
    the end of the outbox's scenario, 2 if something went wrong (a file, a pipe, a
    replica that died or hung, a store that can't be used), 64 if the command line
    can't be understood.
    """
}
