import CRDTKit
import CRDTStore
import Toolkit

/// `crdt-demo store`: a store from a shell.
///
/// Whoever only reads opens the store for reading, so that several can at once, also while
/// somebody writes to it, and nothing in the folder changes.
enum StoreCommand {
  /// Opens a store, does something with it, and closes it.
  static func withStore<Result>(
    _ path: String, _ options: Store.Options,
    schema: Schema? = nil, _ body: (Store) throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
    let store = try stored { () throws(StoreError) in
      try Store.open(at: path, schema: schema, options: options)
    }
    return try closing(store, after: body)
  }

  /// Does something with a store, and closes it.
  static func closing<Result>(
    _ store: Store, after body: (Store) throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
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

  /// Turns an error of a store into a failure of the command.
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
    Console.reporting(try action(of: arguments))
  }
}

extension StoreCommand {
  /// What the help says of it.
  static let help = """
    store keeps a document in a folder, DIR, as crash-safe files. Only one can write
    to it at a time; others read it meanwhile, but for 'verify'.

      store init DIR [--schema=FILE] [--replica=ID] [--document=NAME]
                             make one; the schema has the rules of fields, as JSON:
                               {"collections": {"notes": {"fields":
                               {"tags": "set", "likes": "counter"}}}}
                               Stores of one NAME, or identifier, are one document
                               from the start. Without it, a store that is empty
                               becomes that of the first it syncs with
      store put DIR COLLECTION RECORD FIELD=JSON...
                             write fields of a record, and leave its other ones; an
                               object in JSON, or - for one on the standard input,
                               gives several, and leaves what it doesn't name within
                               objects too. FIELD may be a path: address.city. A
                               record that was deleted is restored by it, with the
                               fields that it had, and a message says so
      store get DIR COLLECTION RECORD [FIELD] [--orphaned]
                             show a record or a field as JSON
      store list DIR [COLLECTION] [--deleted | --orphaned]
                             names of collections, or of a collection's records;
                               of those that are there, that were deleted, or that
                               were purged while a store that was away longer than
                               deletions are kept edited them
      store delete DIR COLLECTION RECORD
      store restore DIR COLLECTION RECORD
                             bring a deleted record back, until it is purged, or
                               what is left of an orphaned one
      store discard DIR COLLECTION RECORD
                             remove what is left of an orphaned record
      store status DIR [--json]
                             a table of collections: how many records are there and
                               deleted; pending: in how many of these something
                               stands that one of the peers isn't known to have;
                               conflicts: fields with values to choose from; last
                               sync: when the last peer was heard of. Below, for
                               each peer, how many changes it lacks, removals too,
                               which leave no record pending
      store log DIR [--json] the changes in the log, a line each: time, segment and
                               byte, size of what was written at once, who made it
                               and how many events they had then, records
      store verify DIR       read and check every byte, and that the log is as long
                               as it was when the store was last closed
      store salvage DIR      save what is whole of a damaged store; what isn't goes
                               to DIR/quarantine; the store gets a new replica ID
      store restamp DIR      write anew, with stamps of now, what is stamped in the
                               future since the clock was ahead: peers refuse that.
                               Set the clock right first
      store compact DIR      write a snapshot, and remove what it makes needless
      store export DIR [--output=FILE]
                             all that is there as JSON, as convert shows it
      store import DIR FILE  take such JSON in, of any size, as one commit, or as
                               several where it has more than 8 MiB; what it doesn't
                               name stays, what is there already isn't written
                               again; FILE may be - for the standard input
      store sync DIR (--folder=PATH | --with=DIR |
                      --command=COMMAND [--timeout=SECONDS] [--rate=BYTES]
                                        [--memory=MIB])
                 [--watch [--every=SECONDS]] [--join]
                             exchange changes until both sides hold the same: by way
                               of a folder that others sync with as well, on a
                               shared disk or copied by a tool; with another store;
                               or with one that a command serves, such as
                               'ssh host crdt-demo serve DIR', which has 30 seconds,
                               or --timeout, to greet, may be silent for as long,
                               and has to move 10 bytes a second, or --rate, or it
                               is ended with all that it started; what it brings may
                               take 1024 MiB of memory, or --memory. With --watch,
                               go on, a round every 5 seconds or as --every says;
                               the store is free in between. Status 1 if files
                               that are needed have not come yet, or are damaged.
                               Stores in which was written before they first met
                               are of different documents, and refuse each other;
                               --join makes them one for ever, if they were meant
                               to be
    """
}
