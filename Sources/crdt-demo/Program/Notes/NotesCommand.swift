import CRDTSimulator
import CRDTStore
import Toolkit

/// `crdt-demo notes`: a note-taking app on the public interface of the store alone.
enum NotesCommand {
  static func run(_ request: NotesRequest) async -> ExitStatus {
    var console = Console()
    let path = request.folder.isEmpty ? usualFolder : request.folder
    do {
      let store = try await open(path, request.verb.access)
      var session = NotesSession(store, console)
      for remark in store.recovery.remarks(on: store) { session.console.error(remark) }
      let status: ExitStatus
      do {
        status = try await session.perform(request)
      } catch {
        status = report(error, &session.console)
      }
      console = session.console
      try await session.store.close()
      return console.finish(status)
    } catch {
      return console.finish(report(error, &console))
    }
  }

  /// Where the notes are if no option says so.
  private static var usualFolder: String {
    let folder = Syscalls.environment("CRDT_NOTES") ?? ""
    return folder.isEmpty ? NotesRequest.usualFolder : folder
  }

  /// Opens the notes in a folder.
  static func open(
    _ path: String, _ access: NotesVerb.Access
  ) async throws -> Store {
    var options = Store.Options.standard
    options.access = access == .reading ? .readOnly : .readWrite
    options.readsBesideWriter = access == .reading
    options.createsIfMissing = access == .creating
    do throws(StoreError) {
      return try await Store.open(at: path, for: Note.self, options: options)
    } catch {
      guard error == .notFound(path: path) else { throw error }
      throw CommandFailure(
        "there are no notes in '\(path)' yet: 'crdt-demo notes add TITLE' makes the first one")
    }
  }

  /// Says what went wrong, and gives the status for it.
  static func report(_ error: any Error, _ console: inout Console) -> ExitStatus {
    if let error = error as? UsageError {
      console.error(error.message)
      return .usage
    }
    console.error("\(error)")
    switch error {
    case is NotesRefusal, is RecordError: return .negative
    default: return .trouble
    }
  }
}

extension NotesCommand: Command {
  static let name = "notes"
  static let operands = "[-s DIR] COMMAND [ARGUMENT]..."
  static let statuses =
    "0 if it was done, 1 if what was asked for is not so or not allowed,"

  static func options(
    for words: ArraySlice<String>
  ) throws(UsageError) -> [ArgumentScanner.Option] {
    let plain = [NotesRequest.storeOption]
    var scanner = ArgumentScanner(words, options: plain + Arguments.commonOptions)
    while let argument = try scanner.next() {
      switch argument {
      case .flag: return plain
      case .option: continue
      case .operand(let name):
        guard let verb = NotesVerb(rawValue: name) else {
          throw UsageError("unknown command 'notes \(name)'")
        }
        return verb.options + plain
      }
    }
    throw UsageError("missing command after 'notes'")
  }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    await run(try NotesRequest(arguments))
  }
}

/// Something that was asked of the notes and is not so, or not allowed: status 1.
struct NotesRefusal: Error, Equatable, CustomStringConvertible {
  /// What is wrong, and what to do.
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
