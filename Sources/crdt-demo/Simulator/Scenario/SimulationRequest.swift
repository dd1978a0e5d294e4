import Toolkit

/// The request to `crdt-demo simulate`, in which flags override a scenario file.
struct SimulationRequest: Equatable {
  /// An option as it was given.
  private struct Flag: Equatable {
    var name: String
    var text: String
  }

  /// The file of the scenario, if any.
  private(set) var file: String?
  /// Options that are part of the command that does the same again, in their order.
  private var flags: [Flag] = []
  /// Where processes have stores, how long they may be silent, whether they run freely.
  private var processes = ProcessScenario()
  private(set) var json = false
  private(set) var isQuiet = false
  /// Whether to shrink a failing run.
  private(set) var shrinks = false
  /// The file for the scenario of the shrunken run, if any.
  private(set) var saved: String?
  /// The file for all events, if any.
  private(set) var trace: String?
  /// The page that shows the run, if any.
  private(set) var report: String?

  /// Options that ask for a world unless a file or an engine is named.
  private static let optionsOfScenarios: [ArgumentScanner.Option] = [
    "engine", "scenario", "workload", "style", "history", "rate", "interval", "keys", "delay",
    "jitter", "bandwidth", "crashes", "restores", "deaths", "skew", "drift", "jumps", "jump",
    "checks", "save", .flag("shrink"),
  ]

  /// Options that leave the engine of processes.
  private static let plainOptions: [ArgumentScanner.Option] = [
    .init(name: "replicas", letter: "r"), .init(name: "ops", letter: "n"),
    .init(name: "seed", letter: "s"), .init(name: "topology", letter: "t"), "loss", "duplicate",
    "reorder", "corrupt", "cut", "store", "crash", "pause", "partition", "join", "leave",
    "timeout", "trace", "report", "sabotage", .flag("free-running", "f"), .flag("json", "j"),
    .flag("quiet", "q"),
  ]

  static let known = optionsOfScenarios + plainOptions

  /// Understands options as they were given, and refuses what doesn't go together, as far
  /// as that shows before a file is read.
  init(_ arguments: Arguments) throws(UsageError) {
    for argument in arguments.all {
      switch argument {
      case .operand(let operand): throw UsageError("extra operand '\(operand)'")
      case .flag(let name): take(name)
      case .option(let name, let text): try take(name, text)
      }
    }
    if file == nil { _ = try scenario(from: Scenario()) }
  }

  private mutating func take(_ flag: String) {
    switch flag {
    case "json": json = true
    case "quiet": isQuiet = true
    case "shrink": shrinks = true
    default:
      processes.isFreeRunning = true
      flags.append(Flag(name: flag, text: ""))
    }
  }

  /// Notes an option; a seed that is to be drawn is drawn now, and kept.
  private mutating func take(_ name: String, _ text: String) throws(UsageError) {
    let value = OptionValue(name: name, text: text)
    switch name {
    case "scenario": file = try value.fileName()
    case "trace": trace = try value.fileName()
    case "report": report = try value.fileName()
    case "save": saved = try value.fileName()
    case "seed": flags.append(Flag(name: name, text: "\(try value.seed())"))
    default:
      flags.append(Flag(name: name, text: text))
      if name == "store" { processes.store = text }
      if name == "timeout" { processes.timeoutSeconds = try value.number(in: 0.1...3_600) }
    }
    var scenario = Scenario()
    if let flag = flags.last { try scenario.apply(flag.name, flag.text) }
  }

  /// The engine that the options ask for; `nil` to leave that to the file.
  private var engine: Scenario.Engine? {
    guard file == nil, !flags.contains(where: { $0.name == "engine" }) else { return nil }
    let isOfWorlds = shrinks || saved != nil
    let names = Set(Self.optionsOfScenarios.map(\.name))
    return isOfWorlds || flags.contains { names.contains($0.name) } ? .world : .processes
  }

  /// The scenario with the options applied.
  func scenario(from base: Scenario) throws(UsageError) -> Scenario {
    var scenario = base
    if let engine { scenario.engine = engine }
    for flag in flags { try scenario.apply(flag.name, flag.text) }
    if let problem = scenario.problem {
      throw UsageError(file.map { "\($0): \(problem)" } ?? problem)
    }
    if scenario.engine == .world {
      let names = ["store", "timeout", "free-running"]
      if let flag = flags.first(where: { names.contains($0.name) }) {
        throw UsageError("'--\(flag.name)' needs the engine of processes")
      }
    } else if let problem = processes(of: scenario).problem {
      throw UsageError(problem)
    }
    if scenario.engine == .processes, shrinks {
      throw UsageError("'--shrink' needs the engine world")
    }
    if saved != nil, !shrinks { throw UsageError("'--save' needs '--shrink'") }
    return scenario
  }

  /// The scenario as processes play it.
  func processes(of scenario: Scenario) -> ProcessScenario {
    var processes = processes
    processes.scenario = scenario
    processes.command = command(seed: scenario.seed)
    return processes
  }

  /// The command that repeats the run.
  func command(seed: UInt64) -> String {
    var words = ["crdt-demo simulate"]
    if let file { words.append("--scenario \(file.quotedForShell)") }
    if engine == .world { words.append("--engine world") }
    if !flags.contains(where: { $0.name == "seed" }) { words.append("--seed \(seed)") }
    for flag in flags {
      words.append("--\(flag.name)" + (flag.text.isEmpty ? "" : " \(flag.text.quotedForShell)"))
    }
    return words.joined(separator: " ")
  }
}

extension Scenario {
  /// Sets what an option says; one of the run alone is left to it.
  fileprivate mutating func apply(_ name: String, _ text: String) throws(UsageError) {
    let value = OptionValue(name: name, text: text)
    switch name {
    case "partition":
      partitions.append(
        try value.parsed("FROM-TO:A,B/C,D in seconds, replicas counted from 0"))
    case "join": joins.append(try value.parsed("SECONDS:REPLICA, replicas counted from 0"))
    case "leave": leaves.append(try value.parsed("SECONDS:REPLICA, replicas counted from 0"))
    default: try ScenarioField.all.first { $0.option == name }?.set(&self, to: value)
    }
  }
}

extension OptionValue {
  /// The value that the text describes; a message says what is wanted.
  fileprivate func parsed<Value: LosslessStringConvertible>(
    _ wanted: String
  ) throws(UsageError) -> Value {
    guard let value = Value(text) else { throw invalid(wanted) }
    return value
  }
}
