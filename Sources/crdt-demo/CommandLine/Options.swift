/// What the command line asks for.
enum Options: Equatable {
  case help
  case version
  case merge(MergeOptions)
  case convert(ConvertOptions)
  case store(StoreRequest)
  /// A store's folder, to be served on the standard input and output.
  case serve(String)
  case notes(NotesRequest)
  case notesHelp
  case replay(ReplayOptions)
  case simulate(SimulationOptions)
  /// A simulation by a scenario, or in a world.
  case simulateScenario(ScenarioRequest)
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
    case "help": self = .help
    case Self.replicaCommand: self = .replica
    case Self.referenceServerCommand: self = .referenceServer
    default: self = try Self.common(command)
    }
  }

  /// The command that the coordinator starts its children with.
  static let replicaCommand = "replica"

  /// The command that starts a server for an outbox.
  static let referenceServerCommand = "reference-server"

  private static let commonOptions = [
    ArgumentScanner.Option(name: "help", letter: "h", takesValue: false),
    ArgumentScanner.Option(name: "version", letter: "V", takesValue: false),
  ]

  /// Options in the place of a command.
  private static func common(_ word: String) throws(UsageError) -> Options {
    guard word.hasPrefix("-") else { throw UsageError("unknown command '\(word)'") }
    var scanner = ArgumentScanner([word], options: commonOptions)
    switch try scanner.next() {
    case .flag("help"): return .help
    case .flag("version"): return .version
    default: throw UsageError("missing command")
    }
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
      case .flag("help"): return .help
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
      case .flag("help"): return .help
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
      case .flag("help"): return .help
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
      return try common(name)
    }
    var scanner = ArgumentScanner(words, options: verb.options + commonOptions)
    var (operands, values): ([String], [String: String]) = ([], [:])
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag("version"): return .version
      case .flag(let name): values[name] = ""
      case .option(let name, let value): values[name] = value
      case .operand(let operand): operands.append(operand)
      }
    }
    return .store(try StoreRequest(verb, operands, values))
  }

  private static func serving(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: commonOptions)
    var folders: [String] = []
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag, .option: return .version
      case .operand(let folder): folders.append(folder)
      }
    }
    guard let folder = folders.first else { throw UsageError("missing operand DIR") }
    guard folders.count == 1 else { throw UsageError("extra operand '\(folders[1])'") }
    guard !folder.isEmpty else { throw UsageError("the name of the store's folder is empty") }
    return .serve(folder)
  }

  private static func notes(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    let (request, common) = try NotesRequest.parse(words, common: commonOptions)
    guard let request else { return common == "help" ? .notesHelp : .version }
    return .notes(request)
  }

  private static func trace(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: TraceOptions.known + commonOptions)
    var options = TraceOptions()
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag: return .version
      case .option(let name, let value): try options.set(name, to: value)
      case .operand(let file): options.files.append(file)
      }
    }
    try options.check()
    return .trace(options)
  }

  private static func outboxScenario(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: OutboxScenarioOptions.known + commonOptions)
    var options = OutboxScenarioOptions()
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag("version"): return .version
      case .flag: options.json = true
      case .option(let name, let text):
        options.seed = try OptionValue(name: name, text: text).seed()
      case .operand(let operand): throw UsageError("extra operand '\(operand)'")
      }
    }
    return .outboxScenario(options)
  }

  private static func experiment(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: ExperimentOptions.known + commonOptions)
    var options: ExperimentOptions?
    var (flags, values): ([String], [(name: String, text: String)]) = ([], [])
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag("version"): return .version
      case .flag(let name): flags.append(name)
      case .option(let name, let text): values.append((name, text))
      case .operand(let operand):
        guard options == nil else { throw UsageError("extra operand '\(operand)'") }
        guard let name = ExperimentOptions.Name(rawValue: operand) else {
          throw UsageError("unknown experiment '\(operand)'")
        }
        options = ExperimentOptions(name: name)
      }
    }
    guard var options else { throw UsageError("missing experiment") }
    for flag in flags { options.set(flag) }
    for value in values { try options.set(value.name, to: value.text) }
    try options.check()
    return .experiment(options)
  }

  private static func soak(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: SoakOptions.known + commonOptions)
    var options = SoakOptions()
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag("version"): return .version
      case .flag: options.isQuiet = true
      case .option(let name, let value): try options.set(name, to: value)
      case .operand(let operand): throw UsageError("extra operand '\(operand)'")
      }
    }
    return .soak(options)
  }

  /// Flags that name a scenario or a world lead to the request of one; without any,
  /// processes are simulated.
  private static func simulation(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(
      words, options: SimulationOptions.known + ScenarioRequest.known + commonOptions)
    var values: [(name: String, text: String)] = []
    var flags: [String] = []
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help
      case .flag("version"): return .version
      case .flag(let name): flags.append(name)
      case .option(let name, let value): values.append((name, value))
      case .operand(let operand): throw UsageError("extra operand '\(operand)'")
      }
    }
    let isForProcesses = values.allSatisfy { name, text in
      !ScenarioRequest.names.contains(name)
        || name == "engine" && text == Scenario.Engine.processes.rawValue
    }
    guard isForProcesses else { return .simulateScenario(try request(values, flags)) }
    var options = SimulationOptions()
    for flag in flags { options.set(flag) }
    for (name, value) in values where name != "engine" { try options.set(name, to: value) }
    try options.check()
    return .simulate(options)
  }

  private static func request(
    _ values: [(name: String, text: String)], _ flags: [String]
  ) throws(UsageError) -> ScenarioRequest {
    var request = ScenarioRequest()
    for (name, text) in values { try request.take(name, text) }
    for flag in flags {
      switch flag {
      case "json": request.json = true
      case "quiet": request.isQuiet = true
      default: throw UsageError("'--\(flag)' needs the engine of processes")
      }
    }
    if request.file == nil { _ = try request.scenario(from: Scenario()) }
    return request
  }
}
