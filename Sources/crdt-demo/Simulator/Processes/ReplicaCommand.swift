package import Toolkit

/// `crdt-demo replica`: one replica of a simulation, started by its coordinator.
package enum ReplicaCommand {
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
        throw CommandFailure("the coordinator's first order makes no sense")
      }
      return ReplicaProcess.run(settings: settings, channel: channel)
    } catch {
      console.error("a replica ended: \(error)")
      return .trouble
    }
  }
}

extension ReplicaCommand: Command {
  package static let name = "replica"
  package static let operands = ""
  package static let statuses = ""
  package static let help = ""

  package static func options(
    for words: ArraySlice<String>
  ) throws(UsageError) -> [ArgumentScanner.Option] {
    []
  }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus { run() }
}
