import CRDTSimulator
import Toolkit

/// `crdt-demo reference-server`: a server for an outbox, spoken to in lines of JSON on
/// the standard input and output; it keeps all in memory.
enum ReferenceServerCommand {
  static func run() -> ExitStatus {
    var console = Console(isQuiet: true)
    do {
      try serve()
      return .success
    } catch {
      console.error("the reference server ended: \(error)")
      return .trouble
    }
  }

  private static func serve() throws(CommandFailure) {
    var conversation = ServerConversation()
    var lines = ServerLines()
    var isOpen = true
    while isOpen {
      while let line = try lines.next() {
        let reply = conversation.reply(to: line)
        if conversation.latencyMillis > 0 {
          Syscalls.sleep(milliseconds: conversation.latencyMillis)
        }
        try reporting { () throws(Syscalls.Failure) in try FileWriter.writeAll(1, reply) }
      }
      isOpen = try reporting { () throws(Syscalls.Failure) in
        try lines.append { (bytes) throws(Syscalls.Failure) in
          try Syscalls.read(0, onto: &bytes) != 0
        }
      }
    }
  }

  private static func reporting<Result>(
    _ body: () throws(Syscalls.Failure) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(Syscalls.Failure) {
      return try body()
    } catch {
      throw error.trouble
    }
  }
}

extension ReferenceServerCommand: Command {
  static let name = "reference-server"
  static let operands = ""
  static let statuses = ""
  static let help = ""

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus { run() }
}
