import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

/// `crdt-demo store`: a store from a shell.
///
/// Whoever only reads opens the store for reading, so that several can at once, also while
/// somebody writes to it, and nothing in the folder changes.
enum StoreCommand {
  static func run(_ request: StoreRequest) -> ExitStatus {
    var console = Console()
    do throws(CommandFailure) {
      let status = try perform(request, &console)
      return console.finish(status)
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
  }

  private static func perform(
    _ request: StoreRequest, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let folder = request.folder
    switch request.action {
    case .initialize(let schema, let replica, let document):
      return try initialize(
        folder, schema: schema, replica: replica, document: document, &console)
    case .put(let edit, let readsInput):
      return try put(edit, readsInput: readsInput, in: folder, &console)
    case .get(let record, let field, let isOrphaned):
      return try get(record, field, isOrphaned: isOrphaned, in: folder, &console)
    case .list(let collection, let listing):
      return try list(collection, listing, in: folder, &console)
    case .delete(let record): return try delete(record, in: folder, &console)
    case .restore(let record): return try restore(record, in: folder, &console)
    case .discard(let record): return try discard(record, in: folder, &console)
    case .status(let isJSON): return try status(of: folder, isJSON: isJSON, &console)
    case .log(let isJSON): return try log(of: folder, isJSON: isJSON, &console)
    case .verify: return try verify(folder, &console)
    case .salvage: return try salvage(folder, &console)
    case .restamp: return try restamp(folder, &console)
    case .compact: return try compact(folder, &console)
    case .export(let output): return try export(folder, to: output, &console)
    case .take(let file): return try take(file, into: folder, &console)
    case .sync(let request): return try sync(folder, request, &console)
    }
  }
}

extension StoreCommand {
  /// Opens a store, does something with it, and closes it.
  static func withStore<Result>(
    _ path: String, _ options: Store.Options,
    schema: Schema? = nil, _ body: (Store) throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
    let store = try stored { () throws(StoreError) in
      try Store.open(at: path, schema: schema, options: options)
    }
    let result: Result
    do throws(CommandFailure) {
      result = try body(store)
    } catch {
      // The first error tells more than what follows from it.
      _ = try? store.close()
      throw error
    }
    try stored { () throws(StoreError) in try store.close() }
    return result
  }

  /// Reads a store, also while somebody writes to it.
  static func reading<Result>(
    _ path: String, _ body: (Store) throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
    var options = Store.Options.standard
    options.access = .readOnly
    options.readsBesideWriter = true
    return try withStore(path, options, body)
  }

  /// Reads and writes a store; says what was odd about it.
  static func writing<Result>(
    _ path: String, _ console: inout Console,
    _ body: (Store) throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
    var options = Store.Options.standard
    options.createsIfMissing = false
    return try withStore(path, options) { (store) throws(CommandFailure) in
      // They hold whatever comes of the rest.
      for remark in store.recovery.remarks(path: path, replica: store.replica) {
        console.error(remark)
      }
      defer {
        for remark in store.mendedForks.map({ $0.remark(path: path) })
          + (store.clockWarning?.remarks(path: path) ?? [])
        {
          console.error(remark)
        }
      }
      return try body(store)
    }
  }

  /// Takes an error of a store for trouble.
  static func stored<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(StoreError) { return try body() } catch { throw CommandFailure(error.description) }
  }
}

extension StoreCommand: Command {
  static let name = "store"
  static let operands = "COMMAND DIR [ARGUMENT]..."
  static let statuses =
    "0 if it was done, 1 if the store has not what it was asked for or\n"
    + "isn't sound, or a rule kept a field from being written,"

  static func options(
    for words: ArraySlice<String>
  ) throws(UsageError) -> [ArgumentScanner.Option] {
    guard let name = words.first else { throw UsageError("missing command after 'store'") }
    if let verb = StoreVerb(rawValue: name) { return verb.options }
    guard name.hasPrefix("-") else { throw UsageError("unknown command 'store \(name)'") }
    return []
  }

  static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(try StoreRequest(arguments))
  }
}
