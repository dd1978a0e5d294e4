import CRDTKit
import CRDTStore
import Toolkit

/// `crdt-demo serve`: a session of a store on the standard input and output.
///
/// Nothing but the session's bytes is written there; messages go to the standard
/// error.
enum ServeCommand {
  private static func run(_ folder: String, _ limits: PeerLimits) -> ExitStatus {
    var console = Console(isQuiet: true)
    do throws(CommandFailure) {
      if Syscalls.isTerminal(0) || Syscalls.isTerminal(1) {
        throw CommandFailure(
          "serve talks to another program, not to a terminal: "
            + "crdt-demo store sync DIR --command 'crdt-demo serve DIR'")
      }
      let ending = try StoreCommand.writing(folder, &console) { (store) throws(CommandFailure) in
        var link = try StoreLink(store, reading: 0, writing: 1, limits: limits)
        return try link.run(untilSynchronized: false)
      }
      switch ending {
      case .synchronized, .closed: return .success
      case .tooSlow(let fault): throw fault.trouble(with: "\(folder): the peer")
      case .failed(let failure): throw CommandFailure("\(folder): \(failure)\(failure.optionHint)")
      }
    } catch {
      console.error(error.description)
      return .trouble
    }
  }
}

extension ServeCommand: Command {
  static let name = "serve"
  static let operands = "[OPTION]... DIR"
  static let statuses =
    "0 if it was done,"

  static var options: [ArgumentScanner.Option] { PeerLimits.options }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    let folder = try arguments.operand("operand DIR")
    guard !folder.isEmpty else { throw UsageError("the name of the store's folder is empty") }
    return run(folder, try PeerLimits(arguments.values))
  }

  static let help = """
    serve keeps the store in DIR in sync with the program at its standard input and
    output, until the input ends: the other end of 'store sync --command'. Messages
    go to the standard error. The store can be read meanwhile. Once both sides hold
    the same, the other one may be silent; until then it must not be, nor too slow.

          --timeout=SECONDS  for how long it may be silent, and has to greet
                               (default 30)
          --rate=BYTES       how much it says or takes in a second, at least; 0 for
                               any (default 10)
          --memory=MIB       how much memory what it brings may take (default 1024)
    """
}
