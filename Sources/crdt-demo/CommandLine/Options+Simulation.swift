extension Options {
  static func trace(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: TraceOptions.known + commonOptions)
    var options = TraceOptions()
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.trace)
      case .flag: return .version
      case .option(let name, let value): try options.set(name, to: value)
      case .operand(let file): options.files.append(file)
      }
    }
    try options.check()
    return .trace(options)
  }

  private static let experiments =
    "one of " + ExperimentOptions.Name.allCases.map(\.rawValue).joined(separator: ", ")

  static func experiment(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: ExperimentOptions.known + commonOptions)
    var options: ExperimentOptions?
    var (flags, values): ([String], [(name: String, text: String)]) = ([], [])
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.experiment)
      case .flag("version"): return .version
      case .flag(let name): flags.append(name)
      case .option(let name, let text): values.append((name, text))
      case .operand(let operand):
        guard options == nil else { throw UsageError("extra operand '\(operand)'") }
        guard let name = ExperimentOptions.Name(rawValue: operand) else {
          throw UsageError("unknown experiment '\(operand)': it must be \(Self.experiments)")
        }
        options = ExperimentOptions(name: name)
      }
    }
    guard var options else { throw UsageError("missing experiment: \(Self.experiments)") }
    for flag in flags { options.set(flag) }
    for value in values { try options.set(value.name, to: value.text) }
    try options.check()
    return .experiment(options)
  }

  static func soak(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: SoakOptions.known + commonOptions)
    var options = SoakOptions()
    while let argument = try scanner.next() {
      switch argument {
      case .flag("help"): return .help(.soak)
      case .flag("version"): return .version
      case .flag: options.isQuiet = true
      case .option(let name, let value): try options.set(name, to: value)
      case .operand(let operand): throw UsageError("extra operand '\(operand)'")
      }
    }
    try options.check()
    return .soak(options)
  }

  static func simulation(_ words: ArraySlice<String>) throws(UsageError) -> Options {
    var scanner = ArgumentScanner(words, options: SimulationRequest.known + commonOptions)
    var arguments: [ArgumentScanner.Argument] = []
    while let argument = try scanner.next() {
      if argument == .flag(name: "help") { return .help(.simulate) }
      if argument == .flag(name: "version") { return .version }
      arguments.append(argument)
    }
    return .simulate(try SimulationRequest(arguments))
  }
}
