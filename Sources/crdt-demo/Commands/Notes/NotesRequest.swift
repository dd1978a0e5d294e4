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

  /// Understands the words of a command: a verb, its operands and its options.
  ///
  /// - Parameters:
  ///   - words: The words after `notes`.
  ///   - common: Options that stand for something else.
  /// - Returns: The request, or the name of such an option.
  /// - Throws: `UsageError` where they make no sense.
  static func parse(
    _ words: some Sequence<String>, common: [ArgumentScanner.Option] = []
  ) throws(UsageError) -> (request: NotesRequest?, common: String?) {
    var scanner = ArgumentScanner(words, options: [storeOption] + common)
    var folder: String?
    while let argument = try scanner.next() {
      switch argument {
      case .flag(let name): return (nil, name)
      case .option(_, let path): folder = path
      case .operand(let name):
        guard let verb = NotesVerb(rawValue: name) else {
          throw UsageError("unknown command 'notes \(name)'")
        }
        var request = NotesRequest(verb: verb)
        scanner = ArgumentScanner(
          scanner.words, options: verb.options + [storeOption] + common)
        while let argument = try scanner.next() {
          switch argument {
          case .flag(let name) where common.contains { $0.name == name }: return (nil, name)
          case .flag(let name): request.options.append(Option(name: name, value: ""))
          case .option("store", let path): folder = path
          case .option(let name, let value):
            request.options.append(Option(name: name, value: value))
          case .operand(let operand): request.operands.append(operand)
          }
        }
        try request.check()
        guard folder != "" else { throw UsageError("the name of the store's folder is empty") }
        request.folder = folder ?? ""
        return (request, nil)
      }
    }
    throw UsageError("missing command after 'notes'")
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
