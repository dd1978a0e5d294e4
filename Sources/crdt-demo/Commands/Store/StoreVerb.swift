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
        ArgumentScanner.Option(name: "schema"), ArgumentScanner.Option(name: "replica"),
        ArgumentScanner.Option(name: "document"),
      ]
    case .get: [ArgumentScanner.Option(name: "orphaned", takesValue: false)]
    case .list:
      [
        ArgumentScanner.Option(name: "deleted", takesValue: false),
        ArgumentScanner.Option(name: "orphaned", takesValue: false),
      ]
    case .status, .log: [ArgumentScanner.Option(name: "json", letter: "j", takesValue: false)]
    case .export: [ArgumentScanner.Option(name: "output", letter: "o")]
    case .sync: SyncRequest.options
    default: []
    }
  }
}
