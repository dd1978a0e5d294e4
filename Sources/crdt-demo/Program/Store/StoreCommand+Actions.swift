import CRDTKit
import Toolkit

extension StoreCommand {
  /// What the arguments ask for.
  typealias Action = (inout Console) throws(CommandFailure) -> ExitStatus

  /// Which records are listed.
  enum Listing {
    case present, deleted, orphaned
  }

  /// Understands a command's operands, the store's folder first, and its options.
  static func action(of arguments: Arguments) throws(UsageError) -> Action {
    guard let verb = arguments.operands.first.flatMap(StoreVerb.init(rawValue:)) else {
      throw UsageError("missing command after 'store'")
    }
    let (words, values) = (Array(arguments.operands.dropFirst()), arguments.values)
    try verb.operands.check(words)
    let folder = words[0]
    guard !folder.isEmpty else { throw UsageError("the name of the store's folder is empty") }
    let isJSON = values["json"] != nil
    switch verb {
    case .initialize:
      let replica = try arguments["replica"]?.replica()
      guard values["document"] != "" else {
        throw UsageError("the value of '--document' is empty")
      }
      return {
        try initialize(
          folder, schema: values["schema"], replica: replica, document: values["document"],
          &$0)
      }
    case .put:
      let fields = words[3...].filter { $0 != "-" }
      let inputs = words.count - 3 - fields.count
      guard inputs < 2 else { throw UsageError("the standard input can be read only once") }
      var edit = RecordEdit(try record(words))
      for word in fields { try edit.add(word) }
      do throws(CommandFailure) { try edit.checkPaths() } catch {
        throw UsageError(error.description)
      }
      let whole = edit
      return { try put(whole, readsInput: inputs == 1, in: folder, &$0) }
    case .get:
      let (record, field) = (try record(words), try field(words))
      return { try get(record, field, isOrphaned: values["orphaned"] != nil, in: folder, &$0) }
    case .list:
      let collection = words.count > 1 ? try name(words[1], "collection") : nil
      let listing = try listing(values)
      return { try list(collection, listing, in: folder, &$0) }
    case .delete:
      let record = try record(words)
      return { try delete(record, in: folder, &$0) }
    case .restore:
      let record = try record(words)
      return { try restore(record, in: folder, &$0) }
    case .discard:
      let record = try record(words)
      return { try discard(record, in: folder, &$0) }
    case .sync:
      let request = try SyncRequest(values)
      return { try sync(folder, request, &$0) }
    case .status:
      return { try status(of: folder, isJSON: isJSON, &$0) }
    case .log:
      return { try log(of: folder, isJSON: isJSON, &$0) }
    case .verify: return { try verify(folder, &$0) }
    case .salvage: return { try salvage(folder, &$0) }
    case .restamp: return { try restamp(folder, &$0) }
    case .compact: return { try compact(folder, &$0) }
    case .export:
      return { try export(folder, to: values["output"], &$0) }
    case .take:
      return { try take(words[1], into: folder, &$0) }
    }
  }

  private static func listing(_ values: [String: String]) throws(UsageError) -> Listing {
    switch (values["deleted"] != nil, values["orphaned"] != nil) {
    case (false, false): .present
    case (true, false): .deleted
    case (false, true): .orphaned
    case (true, true): throw UsageError("--deleted and --orphaned ask for different records")
    }
  }

  private static func record(_ words: [String]) throws(UsageError) -> Document.RecordID {
    Document.RecordID(try name(words[2], "record"), in: try name(words[1], "collection"))
  }

  private static func field(_ words: [String]) throws(UsageError) -> FieldPath? {
    guard words.count > 3 else { return nil }
    let path = FieldPath(parsing: words[3])
    do throws(CommandFailure) { try path.check() } catch { throw UsageError(error.description) }
    return path
  }

  /// A name, if it isn't too long.
  private static func name(_ text: String, _ what: String) throws(UsageError) -> String {
    guard text.utf8.count <= Document.Value.maximumNameLength else {
      throw UsageError(
        "the name of the \(what) has more than \(Document.Value.maximumNameLength) bytes")
    }
    return text
  }
}

/// What can be done with a store from a shell.
enum StoreVerb: String, CaseIterable {
  case initialize = "init"
  case put, get, list, delete, restore, discard, restamp, status, log, verify, salvage, compact
  case export, sync
  case take = "import"
}

extension StoreVerb {
  var operands: OperandNames {
    switch self {
    case .initialize, .restamp, .status, .log, .verify, .salvage, .compact, .export, .sync: ["DIR"]
    case .put: ["DIR", "COLLECTION", "RECORD", "FIELD=JSON..."]
    case .get: ["DIR", "COLLECTION", "RECORD", "[FIELD]"]
    case .list: ["DIR", "[COLLECTION]"]
    case .delete, .restore, .discard: ["DIR", "COLLECTION", "RECORD"]
    case .take: ["DIR", "FILE"]
    }
  }

  var options: [ArgumentScanner.Option] {
    switch self {
    case .initialize:
      ["schema", "replica", "document"]
    case .get: [.flag("orphaned")]
    case .list:
      [.flag("deleted"), .flag("orphaned")]
    case .status, .log: [.flag("json", "j")]
    case .export: [ArgumentScanner.Option(name: "output", letter: "o")]
    case .sync: SyncRequest.options
    default: []
    }
  }
}
