import CRDTSimulator
import Toolkit

/// What `crdt-demo notes` was asked for.
struct NotesRequest: Equatable {
  /// The path of the store; empty for the usual one.
  var folder = ""
  var verb: NotesVerb
  var operands: [String] = []
  /// The options in the order given; flags have an empty value.
  var options: [Option] = []

  /// An option that was given.
  struct Option: Equatable {
    var name: String
    var value: String
  }
}

extension NotesRequest {
  /// Where the notes are unless something else is said.
  static let usualFolder = "notes.crdt"

  static let storeOption = ArgumentScanner.Option(name: "store", letter: "s")

  /// Understands a verb, its operands and its options.
  init(_ arguments: Arguments) throws(UsageError) {
    guard let verb = arguments.operands.first.flatMap(NotesVerb.init(rawValue:)) else {
      throw UsageError("missing command after 'notes'")
    }
    self.init(verb: verb, operands: Array(arguments.operands.dropFirst()))
    for (name, value) in arguments.options {
      if name == "store" {
        folder = value
      } else {
        options.append(Option(name: name, value: value))
      }
    }
    try check()
    if arguments.values["store"] == "" {
      throw UsageError("the name of the store's folder is empty")
    }
  }
}

extension NotesRequest {
  /// Whether an option was given.
  func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// The value of an option, the last where it was given more than once.
  subscript(name: String) -> String? { options.last { $0.name == name }?.value }

  /// The values of an option that may be given more than once.
  func values(of name: String) -> [String] {
    options.filter { $0.name == name }.map(\.value)
  }

  /// The whole number that an option has for its value.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[name] else { return nil }
    return try OptionValue(name: name, text: text).integer(in: range)
  }

  /// The order that was asked for.
  func order() throws(UsageError) -> NoteOrder {
    guard let text = self["sort"] else { return .updated }
    return try OptionValue(name: "sort", text: text).choice(of: NoteOrder.self)
  }

  /// Whom the notes are to be brought in sync with.
  func partner() throws(UsageError) -> SyncRequest.Partner {
    try SyncRequest.Partner(
      Dictionary(options.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
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
