import CRDTKit
import CRDTStore

/// What `crdt-demo serve` was asked for.
struct ServeRequest: Equatable {
  /// The path of the store.
  var folder: String
  var limits = PeerLimits()
}

/// `crdt-demo serve`: a session of a store on the standard input and output.
///
/// Nothing but the session's bytes is written there; messages go to the standard
/// error.
enum ServeCommand {
  static func run(_ request: ServeRequest) -> ExitStatus {
    var console = Console(isQuiet: true)
    let folder = request.folder
    do throws(Trouble) {
      if Syscalls.isTerminal(0) || Syscalls.isTerminal(1) {
        throw Trouble(
          "serve talks to another program, not to a terminal: "
            + "crdt-demo store sync DIR --command 'crdt-demo serve DIR'")
      }
      let ending = try StoreCommand.writing(folder, &console) { (store) throws(Trouble) in
        var link = try StoreLink(store, reading: 0, writing: 1, limits: request.limits)
        return try link.run(untilSynchronized: false)
      }
      switch ending {
      case .synchronized, .closed: return .success
      case .tooSlow(let fault): throw fault.trouble(with: "\(folder): the peer")
      case .failed(let failure): throw Trouble("\(folder): \(failure)\(failure.optionHint)")
      }
    } catch {
      console.error(error.description)
      return .trouble
    }
  }
}
