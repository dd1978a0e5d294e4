/// The demo program: replicated data on faulty links, on a real history, in git, in a
/// store, and in an app.
@main
enum CRDTDemo {
  static func main() async {
    Syscalls.prepareProcess()
    Syscalls.exitNow(await run(CommandLine.arguments.dropFirst()).rawValue)
  }

  /// Does what the command line asks for.
  private static func run(_ words: ArraySlice<String>) async -> ExitStatus {
    var console = Console()
    do {
      switch try Options(words) {
      case .help(let topic):
        console.write(topic?.page ?? HelpText.help)
        return console.finish(.success)
      case .version:
        console.write(HelpText.version)
        return console.finish(.success)
      case .merge(let options): return MergeCommand.run(options)
      case .convert(let options): return ConvertCommand.run(options)
      case .store(let request): return StoreCommand.run(request)
      case .serve(let request): return ServeCommand.run(request)
      case .notes(let request): return await NotesCommand.run(request)
      case .replay(let options): return ReplayCommand.run(options)
      case .simulate(let request): return SimulateCommand.run(request)
      case .soak(let options): return await SoakCommand.run(options)
      case .trace(let options): return TraceCommand.run(options)
      case .outboxScenario(let options): return await OutboxScenarioCommand.run(options)
      case .experiment(let options): return ExperimentCommand.run(options)
      case .replica: return ReplicaCommand.run()
      case .referenceServer: return ReferenceServerCommand.run()
      }
    } catch {
      console.error(error.message)
      console.hint(HelpText.hint)
      return .usage
    }
  }
}
