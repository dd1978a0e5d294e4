import Toolkit

/// What `crdt-demo notes` was asked for.
struct NotesRequest {
  let verb: NotesVerb
  let operands: [String]
  private let arguments: Arguments

  /// Where the notes are unless something else is said.
  static let usualFolder = "notes.crdt"

  static let storeOption = ArgumentScanner.Option(name: "store", letter: "s")

  /// Understands a verb, its operands and its options.
  init(_ arguments: Arguments) throws(UsageError) {
    guard let verb = arguments.operands.first.flatMap(NotesVerb.init(rawValue:)) else {
      throw UsageError("missing command after 'notes'")
    }
    (self.verb, self.arguments) = (verb, arguments)
    operands = Array(arguments.operands.dropFirst())
    try check()
    if self["store"] == "" { throw UsageError("the name of the store's folder is empty") }
  }

  /// The path of the store; empty for the usual one.
  var folder: String { self["store"] ?? "" }

  /// Whether there are options besides the store's.
  var hasOptions: Bool { arguments.values.contains { $0.key != "store" } }

  /// Whether an option was given.
  func has(_ name: String) -> Bool { self[name] != nil }

  /// The value of an option, the last where it was given more than once.
  subscript(name: String) -> String? { arguments.values[name] }

  /// The values of an option that may be given more than once.
  func values(of name: String) -> [String] {
    arguments.options.filter { $0.name == name }.map(\.value)
  }

  /// The whole number that an option has for its value.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    try arguments[name]?.integer(in: range)
  }

  /// The order that was asked for.
  func order() throws(UsageError) -> NoteOrder {
    try arguments["sort"]?.choice(of: NoteOrder.self) ?? .updated
  }

  /// Whom the notes are to be brought in sync with.
  func partner() throws(UsageError) -> SyncRequest.Partner {
    try SyncRequest.Partner(arguments.values)
  }

  /// How often a note is to be liked.
  func times() throws(UsageError) -> Int {
    guard operands.count > 1 else { return 1 }
    guard let times = Int(operands[1]), (1...1_000_000).contains(times) else {
      throw UsageError("'\(operands[1])' must be a whole number from 1 to 1000000")
    }
    return times
  }

  /// Refuses what can't be understood before anything is opened.
  private func check() throws(UsageError) {
    try verb.operands.check(operands)
    _ = try order()
    _ = try integer("keep", in: 1...1_000)
    _ = try integer("for", in: 0...86_400)
    if verb == .like { _ = try times() }
    if verb == .sync { _ = try partner() }
    if self["folder"] == "" { throw UsageError("the value of '--folder' is empty") }
    if verb == .resolve, has("keep") == has("text") {
      throw UsageError("give one of --keep and --text")
    }
    if has("body"), has("append") {
      throw UsageError("give one of --body and --append")
    }
    if let id = self["id"], !Note.isValid(id: id) {
      throw UsageError("the identifier '\(id)' must be of the characters a-z, 0-9 and -")
    }
  }
}

/// What can be done with notes.
enum NotesVerb: String, CaseIterable {
  case add, edit, show, tag, untag, like, pin, unpin, list, search, trash, trashed, restore
  case conflicts, resolve, violations, undo, status, sync, watch, export
}

extension NotesVerb {
  /// How the store is opened.
  enum Access {
    /// It is only read, beside others.
    case reading
    /// It is changed, and is there already.
    case changing
    /// It is changed, and made where it isn't there.
    case creating
  }

  /// How the store is opened for it.
  var access: Access {
    switch self {
    case .show, .list, .search, .trashed, .conflicts, .violations, .status, .export: .reading
    case .edit, .tag, .untag, .like, .pin, .unpin, .trash, .restore, .resolve, .undo: .changing
    case .add, .sync, .watch: .creating
    }
  }

  var operands: OperandNames {
    switch self {
    case .add: ["TITLE..."]
    case .edit, .show: ["ID"]
    case .tag, .untag: ["ID", "TAG..."]
    case .like: ["ID", "[TIMES]"]
    case .pin, .unpin, .trash, .restore: ["ID..."]
    case .search: ["TEXT..."]
    case .resolve: ["ID", "FIELD"]
    case .list, .trashed, .conflicts, .violations, .undo, .status, .sync, .watch, .export: []
    }
  }

  var options: [ArgumentScanner.Option] {
    switch self {
    case .add: [.init(name: "body", letter: "b"), .init(name: "tag", letter: "t"), "id"]
    case .edit:
      ["title", .init(name: "body", letter: "b"), .init(name: "append", letter: "a")]
    case .list: [.init(name: "tag", letter: "t"), "sort", .flag("long", "l")]
    case .resolve: ["keep", "text"]
    case .sync: ["folder", "with", "command", .flag("join")] + PeerLimits.options
    case .watch: ["folder", "for"]
    default: []
    }
  }
}
