/// What `crdt-demo simulate` was asked for.
struct SimulationOptions: Equatable {
  var replicas = 4
  /// Operations in all, shared out among the replicas.
  var operations = 2_000
  var seed: UInt64 = 1
  var topology = Topology.mesh
  var workload = Workload.mixed
  /// How many keys are changed, but in mixed operations.
  var keys = 64
  /// A file with a history, to be replayed lane by lane in place of drawn operations.
  var history: String?
  /// Operations a second of a scenario's time, in all; `nil` to draw how many each
  /// replica makes in a round.
  var rate: Double?
  var links = LinkConditions(faults: .standard)
  var clocks = Scenario.Clocks()
  var isFreeRunning = false
  /// How long a replica may say nothing before it is given up.
  var timeoutSeconds = 10.0
  var json = false
  var isQuiet = false
  var sabotage: Sabotage?
  /// Where the replicas have their stores, if they have any.
  var storeFolder: String?
  /// The chance that a process is killed in a round, where any are.
  var crash: Double?
  /// The chance that a process is stopped in a round, where any are.
  var pause: Double?
  /// How many milliseconds of a scenario's time a round stands for.
  var interval = 100.0
  var partitions: [Scenario.Partition] = []
  var joins: [Scenario.Passage] = []
  var leaves: [Scenario.Passage] = []
  /// The file that all events go to, if any.
  var trace: String?
  /// The page that shows the run, if any.
  var report: String?

  static let known = [
    ArgumentScanner.Option(name: "replicas", letter: "r"),
    ArgumentScanner.Option(name: "ops", letter: "n"),
    ArgumentScanner.Option(name: "seed", letter: "s"),
    ArgumentScanner.Option(name: "topology", letter: "t"),
    ArgumentScanner.Option(name: "loss"),
    ArgumentScanner.Option(name: "duplicate"),
    ArgumentScanner.Option(name: "reorder"),
    ArgumentScanner.Option(name: "corrupt"),
    ArgumentScanner.Option(name: "cut"),
    ArgumentScanner.Option(name: "store"),
    ArgumentScanner.Option(name: "crash"),
    ArgumentScanner.Option(name: "pause"),
    ArgumentScanner.Option(name: "partition"),
    ArgumentScanner.Option(name: "join"),
    ArgumentScanner.Option(name: "leave"),
    ArgumentScanner.Option(name: "timeout"),
    ArgumentScanner.Option(name: "trace"),
    ArgumentScanner.Option(name: "report"),
    ArgumentScanner.Option(name: "sabotage"),
    ArgumentScanner.Option(name: "free-running", letter: "f", takesValue: false),
    ArgumentScanner.Option(name: "json", letter: "j", takesValue: false),
    ArgumentScanner.Option(name: "quiet", letter: "q", takesValue: false),
  ]

  /// The chances of what can go wrong on links.
  var faults: LinkFaults {
    get { links.faults }
    set { links.faults = newValue }
  }

  /// Sets an option that takes no value.
  mutating func set(_ name: String) {
    switch name {
    case "free-running": isFreeRunning = true
    case "json": json = true
    default: isQuiet = true
    }
  }

  /// Sets an option to the value it was given.
  mutating func set(_ name: String, to text: String) throws(UsageError) {
    let value = OptionValue(name: name, text: text)
    switch name {
    case "replicas":
      replicas = try value.integer(in: 2...64, remark: ", or more with '--engine=world'")
    case "ops": operations = try value.integer(in: 0...100_000_000)
    case "seed": seed = try value.seed()
    case "topology": topology = try value.topology()
    case "loss": faults.loss = try value.number(in: 0...1)
    case "duplicate": faults.duplicate = try value.number(in: 0...1)
    case "reorder": faults.reorder = try value.number(in: 0...1)
    case "corrupt": faults.corrupt = try value.number(in: 0...1)
    case "cut": faults.cut = try value.number(in: 0...1)
    case "store": storeFolder = text
    case "trace": trace = text
    case "report": report = text
    case "crash": crash = try value.number(in: 0...1)
    case "pause": pause = try value.number(in: 0...1)
    case "partition": partitions.append(try value.partition())
    case "join": joins.append(try value.passage())
    case "leave": leaves.append(try value.passage())
    case "timeout": timeoutSeconds = try value.number(in: 0.1...3_600)
    default: sabotage = text == "none" ? nil : try value.sabotage()
    }
  }
}

extension SimulationOptions {
  /// Checks what depends on more than one option.
  func check() throws(UsageError) {
    if trace == "" { throw UsageError("'--trace' needs the name of a file") }
    if report == "" { throw UsageError("'--report' needs the name of a file") }
    if storeFolder == "" { throw UsageError("'--store' needs the name of a folder") }
    if crash != nil {
      guard storeFolder != nil else { throw UsageError("'--crash' needs '--store'") }
    }
    if isFreeRunning, let name = namesOfRounds.first {
      throw UsageError("'--\(name)' needs rounds, not '--free-running'")
    }
    if let problem = scenario.problem { throw UsageError(problem) }
    if sabotage?.kind == .fork, storeFolder != nil {
      throw UsageError("a store keeps its replica from the sabotage 'fork'")
    }
  }

  /// The options given that only mean something in rounds.
  private var namesOfRounds: [String] {
    let given = [
      ("crash", crash != nil), ("rate", rate != nil),
      ("jumps", clocks.jumps > 0), ("join", !joins.isEmpty), ("leave", !leaves.isEmpty),
    ]
    return given.filter(\.1).map(\.0)
  }

  /// What of it scenarios have, too.
  private var scenario: Scenario {
    var scenario = Scenario()
    (scenario.replicas, scenario.topology, scenario.interval) = (replicas, topology, interval)
    (scenario.sabotage, scenario.operations) = (sabotage, operations)
    scenario.rate = rate ?? scenario.rate
    (scenario.partitions, scenario.joins, scenario.leaves) = (partitions, joins, leaves)
    return scenario
  }

  /// Who takes part, in words.
  var setting: String {
    "\(replicas) replicas in a \(topology), \(isFreeRunning ? "free running" : "in rounds")"
  }

  /// What they do, in words.
  var work: String {
    let kind = workload == .mixed ? "" : " (\(workload.rawValue))"
    let what = history.map { " of \($0)" } ?? kind
    return "\(operations.grouped) operations\(what), seed \(seed)"
  }

  /// All of it in a line.
  var title: String { "\(setting), \(work)" }
}
