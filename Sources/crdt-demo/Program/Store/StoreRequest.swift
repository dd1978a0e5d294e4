import CRDTKit
import CRDTSimulator
import Toolkit

/// What `crdt-demo store` was asked for.
struct StoreRequest: Equatable {
  /// What is to be done, with what it takes.
  enum Action: Equatable {
    case initialize(schema: String?, replica: ReplicaID?, document: String?)
    /// Fields to be written; more of them may come from the standard input.
    case put(RecordEdit, readsInput: Bool)
    case get(Document.RecordID, FieldPath?, isOrphaned: Bool)
    case list(collection: String?, Listing)
    case delete(Document.RecordID)
    case restore(Document.RecordID)
    case discard(Document.RecordID)
    case status(isJSON: Bool)
    case log(isJSON: Bool)
    case verify
    case salvage
    /// Values with stamps of the future are to be written anew.
    case restamp
    case compact
    case export(output: String?)
    case take(file: String)
    case sync(SyncRequest)
  }

  /// Which records are listed.
  enum Listing: Equatable {
    case present, deleted, orphaned
  }

  /// The path of the store.
  var folder: String
  var action: Action
}

extension StoreRequest {
  init(_ arguments: Arguments) throws(UsageError) {
    guard let verb = arguments.operands.first.flatMap(StoreVerb.init(rawValue:)) else {
      throw UsageError("missing command after 'store'")
    }
    try self.init(verb, Array(arguments.operands.dropFirst()), arguments.values)
  }

  /// Understands a command's operands, the store's folder first, and its options'
  /// values by their names; flags have an empty one.
  init(
    _ verb: StoreVerb, _ words: [String], _ values: [String: String]
  ) throws(UsageError) {
    try verb.operands.check(words)
    folder = words[0]
    guard !folder.isEmpty else { throw UsageError("the name of the store's folder is empty") }
    switch verb {
    case .initialize:
      action = .initialize(
        schema: values["schema"],
        replica: try values["replica"].map { (text) throws(UsageError) in
          try OptionValue(name: "replica", text: text).replica()
        }, document: values["document"])
      guard values["document"] != "" else {
        throw UsageError("the value of '--document' is empty")
      }
    case .put:
      let fields = words[3...].filter { $0 != "-" }
      let inputs = words.count - 3 - fields.count
      guard inputs < 2 else { throw UsageError("the standard input can be read only once") }
      var edit = RecordEdit(try Self.record(words))
      for word in fields { try edit.add(word) }
      do throws(CommandFailure) { try edit.checkPaths() } catch {
        throw UsageError(error.description)
      }
      action = .put(edit, readsInput: inputs == 1)
    case .get:
      action = .get(
        try Self.record(words), try Self.field(words), isOrphaned: values["orphaned"] != nil)
    case .list:
      let collection = words.count > 1 ? try Self.name(words[1], "collection") : nil
      action = .list(collection: collection, try Self.listing(values))
    case .delete: action = .delete(try Self.record(words))
    case .restore: action = .restore(try Self.record(words))
    case .discard: action = .discard(try Self.record(words))
    case .status: action = .status(isJSON: values["json"] != nil)
    case .log: action = .log(isJSON: values["json"] != nil)
    case .verify: action = .verify
    case .salvage: action = .salvage
    case .restamp: action = .restamp
    case .compact: action = .compact
    case .export: action = .export(output: values["output"])
    case .take: action = .take(file: words[1])
    case .sync: action = .sync(try SyncRequest(values))
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
    let path = FieldPath(words[3])
    do throws(CommandFailure) { try path.check() } catch { throw UsageError(error.description) }
    return path
  }

  /// A name, if it isn't too long.
  private static func name(_ text: String, _ what: String) throws(UsageError) -> String {
    guard text.utf8.count <= Document.Value.nameLengthMax else {
      throw UsageError(
        "the name of the \(what) has more than \(Document.Value.nameLengthMax) bytes")
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
  /// The operands.
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

  /// The options.
  var options: [ArgumentScanner.Option] {
    switch self {
    case .initialize:
      [
        "schema", "replica",
        "document",
      ]
    case .get: [.flag("orphaned")]
    case .list:
      [
        .flag("deleted"),
        .flag("orphaned"),
      ]
    case .status, .log: [.flag("json", "j")]
    case .export: [ArgumentScanner.Option(name: "output", letter: "o")]
    case .sync: SyncRequest.options
    default: []
    }
  }
}
