/// `crdt-demo replica`: one replica of a simulation, started by its coordinator.
enum ReplicaCommand {
  static func run() -> ExitStatus {
    var console = Console(isQuiet: true)
    if Syscalls.isTerminal(0) || Syscalls.isTerminal(1) {
      console.error("replicas are started by 'simulate', not by hand")
      console.hint(Console.hint)
      return .usage
    }
    do {
      var channel = try CoordinatorChannel()
      guard let order = try channel.nextOrder() else { return .success }
      guard case .start(let settings) = order else {
        throw Trouble("the coordinator's first order makes no sense")
      }
      return ReplicaProcess.run(settings: settings, channel: channel)
    } catch {
      console.error("a replica ended: \(error)")
      return .trouble
    }
  }
}

extension ReplicaCommand: Command {
  static let name = "replica"
  static let operands = ""
  static let statuses = ""
  static let help = ""

  static func options(
    for words: ArraySlice<String>
  ) throws(UsageError) -> [ArgumentScanner.Option] {
    []
  }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus { run() }
}
