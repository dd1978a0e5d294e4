import CRDTStore
import Toolkit

/// `crdt-demo notes`: a note-taking app on the public interface of the store alone.
enum NotesCommand {
  static func run(_ request: NotesRequest) async -> ExitStatus {
    var console = Console()
    let path = request.folder.isEmpty ? usualFolder : request.folder
    do {
      let store = try open(path, request.verb.access)
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
  ) throws(CommandFailure) -> Store {
    var options = Store.Options.standard
    options.access = access == .reading ? .readOnly : .readWrite
    options.readsBesideWriter = access == .reading
    options.createsIfMissing = access == .creating
    do throws(StoreError) {
      return try Store.open(at: path, for: Note.self, options: options)
    } catch {
      guard error == .notFound(path: path) else { throw CommandFailure(error.description) }
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

extension NotesCommand {
  /// What the help says of it.
  static let help = """
    notes keeps notes in a store, by the public interface alone, as an app would.
    They are in DIR, or in $CRDT_NOTES, or else in notes.crdt. ID is the beginning
    of a note's identifier.

      notes add TITLE... [-b TEXT] [-t TAG]... [--id=ID]
                             make a note, with a body (--body, - for the standard
                               input) and tags (--tag)
      notes edit ID [--title=TEXT] [-b TEXT | -a TEXT]
                             change the title or the --body, or --append a line;
                               without an option in $VISUAL or $EDITOR, while the
                               notes stay free for others. Of a body, the difference
                               is written: what others write in it stays
      notes tag ID TAG...
      notes untag ID TAG...
      notes like ID [TIMES]
      notes pin ID...        list it before others
      notes unpin ID...
      notes list [-t TAG] [--sort=ORDER] [-l]
                             all notes, or those with a --tag, by updated (default),
                               created, title or likes; * is pinned, ! in conflict;
                               with --long, when they were changed
      notes show ID          all of a note
      notes search TEXT...   notes in which a text stands; status 1 if in none
      notes trash ID...      delete notes, all or none
      notes trashed          list what can be restored
      notes restore ID...
      notes conflicts        titles that were changed in two places at once
      notes resolve ID FIELD (--keep=N | --text=TEXT)
                             settle one by its Nth side or by a text, for everyone
      notes violations       titles that were chosen twice; status 1 if any were
      notes status           how many notes are here, at a server, pending, in
                               conflict, and when they were last in sync
      notes sync (--folder=PATH | --with=DIR |
                  --command=COMMAND [--timeout=SECONDS] [--rate=BYTES]
                                    [--memory=MIB])
                 [--join]
                             exchange changes: by way of a folder that others sync
                               with as well, with other notes, or with those that a
                               command serves: 'ssh host crdt-demo serve notes.crdt'
                               (it may be silent for 30 seconds, or --timeout, and
                               has to move 10 bytes a second, or --rate; what it
                               brings may take 1024 MiB of memory, or --memory).
                               Notes that were begun apart are joined only if
                               --join says that they belong together
      notes watch [--folder=PATH] [--for=SECONDS]
                             show the notes and every change, kept in sync by way of
                               a folder if there is one, until the standard input
                               ends or the time is over. Lines on it are commands,
                               such as 'add Milk'
      notes undo             within watch: take the last change back
      notes export           all notes as JSON, one a line
    """
}
