/// A simulation that was asked for with a scenario's file, or in a world: flags go
/// before what the file says.
struct ScenarioRequest: Equatable {
  /// A flag as it was given.
  struct Flag: Equatable {
    var name: String
    var text: String
  }

  var file: String?
  var flags: [Flag] = []
  /// Flags that only the engine of processes takes.
  var processFlags: [Flag] = []
  var json = false
  var isQuiet = false
  /// Whether a run that fails is to be made smaller.
  var shrinks = false
  /// Where the smaller run goes as a scenario, if anywhere.
  var saved: String?
  /// The file that all events go to, if any.
  var trace: String?
  /// The page that shows the run, if any.
  var report: String?

  /// The options, beside those that the engine of processes takes too.
  static let known = [
    ArgumentScanner.Option(name: "engine"),
    ArgumentScanner.Option(name: "scenario"),
    ArgumentScanner.Option(name: "workload"),
    ArgumentScanner.Option(name: "style"),
    ArgumentScanner.Option(name: "history"),
    ArgumentScanner.Option(name: "rate"),
    ArgumentScanner.Option(name: "interval"),
    ArgumentScanner.Option(name: "keys"),
    ArgumentScanner.Option(name: "delay"),
    ArgumentScanner.Option(name: "jitter"),
    ArgumentScanner.Option(name: "bandwidth"),
    ArgumentScanner.Option(name: "crashes"),
    ArgumentScanner.Option(name: "restores"),
    ArgumentScanner.Option(name: "deaths"),
    ArgumentScanner.Option(name: "skew"),
    ArgumentScanner.Option(name: "drift"),
    ArgumentScanner.Option(name: "jumps"),
    ArgumentScanner.Option(name: "jump"),
    ArgumentScanner.Option(name: "checks"),
    ArgumentScanner.Option(name: "shrink", takesValue: false),
    ArgumentScanner.Option(name: "save"),
  ]

  /// The names that only this request understands.
  static let names = Set(known.map(\.name))

  /// Notes a flag; a seed that is to be drawn is drawn now, and kept.
  mutating func take(_ name: String, _ text: String) throws(UsageError) {
    switch name {
    case "scenario":
      guard !text.isEmpty else { throw UsageError("'--scenario' needs the name of a file") }
      file = text
    case "trace":
      guard !text.isEmpty else { throw UsageError("'--trace' needs the name of a file") }
      trace = text
    case "report":
      guard !text.isEmpty else { throw UsageError("'--report' needs the name of a file") }
      report = text
    case "save":
      guard !text.isEmpty else { throw UsageError("'--save' needs the name of a file") }
      saved = text
    case "store", "timeout": processFlags.append(Flag(name: name, text: text))
    case "seed":
      flags.append(Flag(name: name, text: "\(try OptionValue(name: name, text: text).seed())"))
    default: flags.append(Flag(name: name, text: text))
    }
    var scenario = Scenario()
    try Self.apply(flags.last ?? Flag(name: "", text: ""), to: &scenario)
  }

  /// Notes a flag that has no value.
  mutating func take(_ flag: String) {
    switch flag {
    case "json": json = true
    case "quiet": isQuiet = true
    case "shrink": shrinks = true
    default: processFlags.append(Flag(name: flag, text: ""))
    }
  }

  /// The scenario with what the flags say.
  func scenario(from base: Scenario) throws(UsageError) -> Scenario {
    var scenario = base
    if file == nil { scenario.engine = .world }
    for flag in flags { try Self.apply(flag, to: &scenario) }
    if let problem = scenario.problem {
      throw UsageError(file.map { "\($0): \(problem)" } ?? problem)
    }
    if scenario.engine == .world, let flag = processFlags.first {
      throw UsageError("'--\(flag.name)' needs the engine of processes")
    }
    if scenario.engine == .processes, shrinks {
      throw UsageError("'--shrink' needs the engine world")
    }
    if saved != nil, !shrinks { throw UsageError("'--save' needs '--shrink'") }
    return scenario
  }

  /// The same, for processes.
  func processes(of scenario: Scenario) throws(UsageError) -> SimulationOptions {
    var options = SimulationOptions(scenario)
    (options.json, options.isQuiet) = (json, isQuiet)
    (options.trace, options.report) = (trace, report)
    for flag in processFlags {
      if flag.text.isEmpty, flag.name == "free-running" {
        options.set(flag.name)
      } else {
        try options.set(flag.name, to: flag.text)
      }
    }
    try options.check()
    return options
  }

  private static func apply(_ flag: Flag, to scenario: inout Scenario) throws(UsageError) {
    let value = OptionValue(name: flag.name, text: flag.text)
    let chances = 0.0...1.0
    switch flag.name {
    case "engine": scenario.engine = try value.choice(of: Scenario.Engine.self)
    case "replicas": scenario.replicas = try value.integer(in: 2...Scenario.replicasMax)
    case "ops": scenario.operations = try value.integer(in: 0...Scenario.operationsMax)
    case "seed": scenario.seed = try value.seed()
    case "topology": scenario.topology = try value.topology()
    case "workload": scenario.workload = try value.choice(of: Workload.self)
    case "style": scenario.style = try value.choice(of: WorldStyle.self)
    case "history": scenario.history = flag.text
    case "rate": scenario.rate = try value.number(in: 0.001...1e9)
    case "interval": scenario.interval = try value.number(in: 0.001...1e6)
    case "keys": scenario.keys = try value.integer(in: 1...1_000_000)
    case "delay": scenario.links.delay = Int((try value.number(in: 0...1e6) * 1_000).rounded())
    case "jitter": scenario.links.jitter = Int((try value.number(in: 0...1e6) * 1_000).rounded())
    case "bandwidth": scenario.links.bandwidth = try value.integer(in: 0...1_000_000_000_000)
    case "loss": scenario.links.faults.loss = try value.number(in: chances)
    case "duplicate": scenario.links.faults.duplicate = try value.number(in: chances)
    case "reorder": scenario.links.faults.reorder = try value.number(in: chances)
    case "corrupt": scenario.links.faults.corrupt = try value.number(in: chances)
    case "cut": scenario.links.faults.cut = try value.number(in: chances)
    case "crash": scenario.crash = try value.number(in: chances)
    case "pause": scenario.pause = try value.number(in: chances)
    case "crashes": scenario.crashes.count = try value.integer(in: 0...100_000)
    case "restores": scenario.crashes.restores = try value.integer(in: 0...1_000)
    case "deaths": scenario.crashes.death = try value.number(in: 0...0.5)
    case "skew": scenario.clocks.skew = try value.integer(in: 0...60_000)
    case "jumps": scenario.clocks.jumps = try value.integer(in: 0...1_000)
    case "drift": scenario.clocks.drift = try value.integer(in: 0...10_000)
    case "jump": scenario.clocks.jump = try value.integer(in: 0...60_000)
    case "checks": scenario.checks = try value.number(in: chances)
    case "sabotage": scenario.sabotage = flag.text == "none" ? nil : try value.sabotage()
    case "partition": scenario.partitions.append(try value.partition())
    case "join": scenario.joins.append(try value.passage())
    case "leave": scenario.leaves.append(try value.passage())
    case "": break
    default: throw UsageError("'--\(flag.name)' needs the engine of processes")
    }
  }

  /// The command that does the same again.
  func command(seed: UInt64) -> String {
    var words = ["crdt-demo simulate"]
    if let file { words.append("--scenario \(SimulationOptions.quoted(file))") }
    if file == nil, !flags.contains(where: { $0.name == "engine" }) {
      words.append("--engine world")
    }
    for flag in flags where flag.name != "seed" {
      words.append("--\(flag.name) \(SimulationOptions.quoted(flag.text))")
    }
    return (words + ["--seed \(seed)"]).joined(separator: " ")
  }
}
