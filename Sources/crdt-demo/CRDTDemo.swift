/// The demo program: replicated data on faulty links, on a real history, in git,
/// and in a store.
@main
enum CRDTDemo {
  static func main() {
    Syscalls.prepareProcess()
    Syscalls.exitNow(run(CommandLine.arguments.dropFirst()).rawValue)
  }

  /// Does what the command line asks for.
  private static func run(_ words: ArraySlice<String>) -> ExitStatus {
    var console = Console()
    do {
      switch try Options(words) {
      case .help:
        console.write(HelpText.help)
        return console.finish(.success)
      case .version:
        console.write(HelpText.version)
        return console.finish(.success)
      case .merge(let options): return MergeCommand.run(options)
      case .convert(let options): return ConvertCommand.run(options)
      case .store(let request): return StoreCommand.run(request)
      case .serve(let folder): return ServeCommand.run(folder)
      case .replay(let options): return ReplayCommand.run(options)
      case .simulate(let options): return SimulateCommand.run(options)
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
