import CRDTKit
import CRDTStore
import Toolkit

/// `crdt-demo edit`: a text editor in the terminal, for a text that several people write in.
enum EditCommand {
  /// What the command was asked for.
  private struct Request {
    var path: String
    var place: EditedPlace
    var folder: String?
    var joins: Bool
    /// Whether the standard input and output lead to another editor.
    var isPiped: Bool
    var name: String?
  }

  private static func run(_ request: Request) async -> ExitStatus {
    var console = Console(isQuiet: true)
    do {
      let ends = request.isPiped ? try EditPipe.takeEnds() : nil
      guard Syscalls.isTerminal(0), Syscalls.isTerminal(1) else {
        throw CommandFailure(
          "edit needs a terminal at its standard input and output, unless '--pipe' is given: "
            + "'crdt-demo store get' and 'store put' read and write a text without one")
      }
      let store = try request.place.openStore(at: request.path)
      for remark in store.recovery.remarks(on: store) { console.error(remark) }
      do {
        try await edit(store, request, ends)
      } catch {
        _ = try? await store.close()
        throw error
      }
      try await store.close()
      Terminal.endIfAsked()
      return .success
    } catch {
      console.error("\(error)")
      Terminal.endIfAsked()
      return .trouble
    }
  }

  private static func edit(
    _ store: Store, _ request: Request, _ ends: EditPipe.Ends?
  ) async throws {
    try request.place.checkRule(in: store)
    if let folder = request.folder { try meet(in: folder, store, joining: request.joins) }
    let inbox = EditInbox()
    var pipe: EditPipe?
    if let ends { pipe = try await EditPipe.meet(at: ends, store, inbox) }
    try await editOnTerminal(store, request, inbox)
    await pipe?.finish()
    if let folder = request.folder { try await store.sync(with: .folder(folder)) }
  }

  /// Brings an editor's store in sync before anything is written in it.
  ///
  /// A new store takes the document that is in the folder. If there is none, it begins the one
  /// that all who begin it at the same time choose. A store that has one can do without the
  /// folder for now.
  private static func meet(
    in folder: String, _ store: Store, joining joins: Bool
  ) throws(CommandFailure) {
    let others: [DocumentID]
    do throws(StoreError) {
      others = try store.sync(with: .folder(folder)).otherDocuments
    } catch {
      others = error.otherDocuments
      guard !store.document.version.isEmpty || !others.isEmpty else {
        throw CommandFailure(error.description)
      }
    }
    guard others.isEmpty || joins else {
      throw CommandFailure(
        "\(store.path): it and '\(folder)' are of different documents: join the two if they "
          + "belong together" + SyncRequest.joinHint)
    }
    try StoreCommand.stored { () throws(StoreError) in
      for other in others { try store.join(document: other) }
    }
    guard store.documentID == nil else { return }
    let name = (Syscalls.resolved(folder) ?? folder).split(separator: "/").last ?? ""
    try StoreCommand.stored { () throws(StoreError) in
      try store.join(document: DocumentID(named: "\(Console.name) edit \(name)"))
    }
  }

  private static func editOnTerminal(
    _ store: Store, _ request: Request, _ inbox: EditInbox
  ) async throws {
    try Terminal.take()
    defer { Terminal.giveBack() }
    inbox.readTerminal()
    let tasks = sources(of: inbox, store, request.folder)
    defer { for task in tasks { task.cancel() } }
    let name = request.name ?? Syscalls.environment("USER") ?? ""
    var session = EditSession(
      store, at: request.place, name: name.isEmpty ? "\(store.replica)" : name, inbox: inbox)
    try await session.run()
  }

  /// How often the folder is looked at, and how long edits are gathered before they are sent.
  private static let (lookMilliseconds, gatherMilliseconds) = (250, 50)

  private static func sources(
    of inbox: EditInbox, _ store: Store, _ folder: String?
  ) -> [Task<Void, Never>] {
    var tasks = [
      Task {
        for await _ in store.changes { inbox.put { _ in } }
        inbox.put { $0.isOver = true }
      }
    ]
    if let folder {
      tasks.append(
        Task {
          do throws(StoreError) {
            try await store.keepInSync(
              with: .folder(folder), every: .milliseconds(lookMilliseconds),
              gathering: .milliseconds(gatherMilliseconds)
            ) { round in
              inbox.put { $0.round = round }
            }
          } catch {
            inbox.put { $0.round = .failure(error) }
          }
        })
    }
    return tasks
  }
}

extension EditCommand: Command {
  static let name = "edit"
  static let operands = "[OPTION]... DIR [COLLECTION RECORD FIELD]"
  static let statuses =
    "0 if it was done,"

  static var options: [ArgumentScanner.Option] {
    ["folder", .flag("join"), .flag("pipe"), .init(name: "name", letter: "n")]
  }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    let words = arguments.operands
    guard let path = words.first else { throw UsageError("missing operand DIR") }
    guard !path.isEmpty else { throw UsageError("the name of the store's folder is empty") }
    if arguments.values["folder"] == "" { throw UsageError("the value of '--folder' is empty") }
    let request = Request(
      path: path, place: try EditedPlace(words.dropFirst()), folder: arguments.values["folder"],
      joins: arguments.has("join"), isPiped: arguments.has("pipe"), name: arguments.values["name"])
    guard !request.joins || request.folder != nil else {
      throw UsageError("'--join' is for '--folder'")
    }
    return await run(request)
  }

  static let help = """
    edit is a text editor in the terminal, for a text that several people write in
    at once. It keeps the text in the store in DIR, which it makes if there is none.
    Each editor has a store of its own. All that is typed is saved at once.

          --folder=PATH      sync, several times a second, by way of a folder that
                               others edit the text with as well
          --join             if the store and the folder were begun apart, they are
                               one document from now on
          --pipe             sync over the standard input and output, which lead to
                               another 'edit --pipe' or to 'serve'; the terminal is
                               /dev/tty
      -n, --name=NAME        what others see beside the caret (default: $USER)

    The text is a field of a record: texts text body, or COLLECTION RECORD FIELD,
    such as the body of a note: crdt-demo edit notes.crdt notes moon body. The field
    must have the rule 'text'; it gets that if it has none.

    Two editors at two terminals, after mkfifo one two:

      crdt-demo edit ann --pipe <one >two
      crdt-demo edit bob --pipe >one <two

    The carets of others are shown in color, with their places in the last line.
    That of an editor that didn't quit goes after ten minutes.

      arrows, Home, End, PageUp, PageDown, Ctrl-A, Ctrl-E
                             move
      Backspace, Delete      remove a character
      Ctrl-Z, Ctrl-Y         undo what was typed here, not by others; do it again
      Ctrl-L                 draw the screen again
      Ctrl-Q                 quit
    """
}
