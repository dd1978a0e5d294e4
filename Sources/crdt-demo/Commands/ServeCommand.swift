import CRDTKit
import CRDTStore

/// `crdt-demo serve`: a session of a store on the standard input and output.
///
/// Nothing but the session's bytes is written there; messages go to the standard
/// error.
enum ServeCommand {
  static func run(_ folder: String) -> ExitStatus {
    var console = Console(isQuiet: true)
    do throws(Trouble) {
      if Syscalls.isTerminal(0) || Syscalls.isTerminal(1) {
        throw Trouble(
          "serve talks to another program, not to a terminal: "
            + "crdt-demo store sync DIR --command 'crdt-demo serve DIR'")
      }
      let ending = try StoreCommand.writing(folder, &console) { (store) throws(Trouble) in
        try serve(store)
      }
      guard case .failed(let failure) = ending else { return .success }
      throw Trouble("\(folder): \(failure)")
    } catch {
      console.error(error.description)
      return .trouble
    }
  }

  private static func serve(_ store: BlockingStore) throws(Trouble) -> StoreLink.Ending {
    var link: StoreLink
    do throws(Syscalls.Failure) {
      link = try StoreLink(store, reading: 0, writing: 1)
    } catch {
      throw error.trouble
    }
    return try link.run(untilSynchronized: false)
  }
}
