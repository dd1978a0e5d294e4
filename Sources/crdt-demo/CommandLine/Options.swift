/// What the command line asks for.
enum Options: Equatable {
  /// Help on a command, or on all.
  case help(HelpText.Topic?)
  case version
  case merge(MergeOptions)
  case convert(ConvertOptions)
  case store(StoreRequest)
  /// A store is to be served on the standard input and output.
  case serve(ServeRequest)
  case notes(NotesRequest)
  case replay(ReplayOptions)
  case simulate(SimulationRequest)
  case soak(SoakOptions)
  case trace(TraceOptions)
  case outboxScenario(OutboxScenarioOptions)
  case experiment(ExperimentOptions)
  /// A replica of a running simulation: its coordinator starts it.
  case replica
  /// A server for an outbox: who has the outbox starts it.
  case referenceServer

  /// Understands the words after the program's name.
  init(_ words: some Sequence<String>) throws(UsageError) {
    var words = ArraySlice(words)
    guard let command = words.popFirst() else { throw UsageError("missing command") }
    switch command {
    case "simulate": self = try Self.simulation(words)
    case "soak": self = try Self.soak(words)
    case "trace": self = try Self.trace(words)
    case "replay": self = try Self.replay(words)
    case "merge": self = try Self.merge(words)
    case "convert": self = try Self.conversion(words)
    case "store": self = try Self.store(words)
    case "serve": self = try Self.serving(words)
    case "notes": self = try Self.notes(words)
    case "outbox-scenario": self = try Self.outboxScenario(words)
    case "experiment": self = try Self.experiment(words)
    case "help": self = .help(try words.first.map(Self.topic))
    case Self.replicaCommand: self = .replica
    case Self.referenceServerCommand: self = .referenceServer
    default: self = try Self.common(command)
    }
  }

  /// The command that the coordinator starts its children with.
  static let replicaCommand = "replica"

  /// The command that starts a server for an outbox.
  static let referenceServerCommand = "reference-server"

  static let commonOptions = [
    ArgumentScanner.Option(name: "help", letter: "h", takesValue: false),
    ArgumentScanner.Option(name: "version", letter: "V", takesValue: false),
  ]

  /// Options in the place of a command.
  private static func common(_ word: String) throws(UsageError) -> Options {
    guard word.hasPrefix("-") else { throw UsageError("unknown command '\(word)'") }
    var scanner = ArgumentScanner([word], options: commonOptions)
    switch try scanner.next() {
    case .flag("help"): return .help(nil)
    case .flag("version"): return .version
    default: throw UsageError("missing command")
    }
  }

  /// The command of a name, after `help`.
  private static func topic(_ word: String) throws(UsageError) -> HelpText.Topic {
    guard let topic = HelpText.Topic(rawValue: word) else {
      throw UsageError("unknown command '\(word)'")
    }
    return topic
  }

  private static func replay(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    let known = [
      ArgumentScanner.Option(name: "as"),
      ArgumentScanner.Option(name: "json", letter: "j", takesValue: false),
    ]
    var scanner = ArgumentScanner(words, options: known + commonOptions)
    var files: [String] = []
    var json = false
    var form = ReplayForm.map
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.replay)
      case .flag("version"): return .version
      case .flag: json = true
      case .option(let name, let text):
        form = try OptionValue(name: name, text: text).choice(of: ReplayForm.self)
      case .operand(let file): files.append(file)
      }
    }
    guard let file = files.first else { throw UsageError("missing file operand") }
    guard files.count == 1 else { throw UsageError("extra operand '\(files[1])'") }
    return .replay(ReplayOptions(file: file, json: json, form: form))
  }

  private static func merge(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: MergeOptions.known + commonOptions)
    var options = MergeOptions()
    var files: [String] = []
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.merge)
      case .flag("version"): return .version
      case .flag: break
      case .option(let name, let value): options.set(name, to: value)
      case .operand(let file): files.append(file)
      }
    }
    try options.take(files)
    return .merge(options)
  }

  private static func conversion(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    let known = [ArgumentScanner.Option(name: "output", letter: "o")]
    var scanner = ArgumentScanner(words, options: known + commonOptions)
    var files: [String] = []
    var output: String?
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.convert)
      case .flag: return .version
      case .option(_, let path): output = path
      case .operand(let file): files.append(file)
      }
    }
    guard let file = files.first else { throw UsageError("missing file operand") }
    guard files.count == 1 else { throw UsageError("extra operand '\(files[1])'") }
    return .convert(ConvertOptions(file: file, output: output))
  }

  private static func store(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var words = words
    guard let name = words.popFirst() else { throw UsageError("missing command after 'store'") }
    guard let verb = StoreVerb(rawValue: name) else {
      guard name.hasPrefix("-") else { throw UsageError("unknown command 'store \(name)'") }
      let options = try common(name)
      return options == .help(nil) ? .help(.store) : options
    }
    var scanner = ArgumentScanner(words, options: verb.options + commonOptions)
    var (operands, values): ([String], [String: String]) = ([], [:])
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.store)
      case .flag("version"): return .version
      case .flag(let name): values[name] = ""
      case .option(let name, let value): values[name] = value
      case .operand(let operand): operands.append(operand)
      }
    }
    return .store(try StoreRequest(verb, operands, values))
  }

  private static func serving(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: PeerLimits.options + commonOptions)
    var folders: [String] = []
    var values: [String: String] = [:]
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.serve)
      case .flag: return .version
      case .option(let name, let value): values[name] = value
      case .operand(let folder): folders.append(folder)
      }
    }
    guard let folder = folders.first else { throw UsageError("missing operand DIR") }
    guard folders.count == 1 else { throw UsageError("extra operand '\(folders[1])'") }
    guard !folder.isEmpty else { throw UsageError("the name of the store's folder is empty") }
    return .serve(ServeRequest(folder: folder, limits: try PeerLimits(values)))
  }

  private static func notes(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    let (request, common) = try NotesRequest.parse(words, common: commonOptions)
    guard let request else { return common == "help" ? .help(.notes) : .version }
    return .notes(request)
  }

  private static func outboxScenario(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: OutboxScenarioOptions.known + commonOptions)
    var options = OutboxScenarioOptions()
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.outboxScenario)
      case .flag("version"): return .version
      case .flag: options.json = true
      case .option(let name, let text):
        options.seed = try OptionValue(name: name, text: text).seed()
      case .operand(let operand): throw UsageError("extra operand '\(operand)'")
      }
    }
    return .outboxScenario(options)
  }
}
