/// What `crdt-demo simulate` was asked for.
struct SimulationOptions: Equatable {
  var replicas = 4
  /// Operations in all, shared out among the replicas.
  var operations = 2_000
  var seed: UInt64 = 1
  var topology = Topology.mesh
  var faults = LinkFaults.standard
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
    ArgumentScanner.Option(name: "timeout"),
    ArgumentScanner.Option(name: "trace"),
    ArgumentScanner.Option(name: "report"),
    ArgumentScanner.Option(name: "sabotage"),
    ArgumentScanner.Option(name: "free-running", letter: "f", takesValue: false),
    ArgumentScanner.Option(name: "json", letter: "j", takesValue: false),
    ArgumentScanner.Option(name: "quiet", letter: "q", takesValue: false),
  ]

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
    case "timeout": timeoutSeconds = try value.number(in: 0.1...3_600)
    default: sabotage = try value.sabotage()
    }
  }

  /// Checks what depends on more than one option.
  func check() throws(UsageError) {
    if let problem = topology.problem(among: replicas) { throw UsageError(problem) }
    if let sabotage, sabotage.replica >= replicas {
      throw UsageError("there is no replica \(sabotage.replica + 1) to sabotage")
    }
    if trace == "" { throw UsageError("'--trace' needs the name of a file") }
    if report == "" { throw UsageError("'--report' needs the name of a file") }
    if storeFolder == "" { throw UsageError("'--store' needs the name of a folder") }
    if crash != nil {
      guard storeFolder != nil else { throw UsageError("'--crash' needs '--store'") }
      guard !isFreeRunning else { throw UsageError("'--crash' needs rounds, not '--free-running'") }
    }
    if sabotage?.kind == .fork, storeFolder != nil {
      throw UsageError("a store keeps its replica from the sabotage 'fork'")
    }
  }

  /// Who takes part, in words.
  var setting: String {
    "\(replicas) replicas in a \(topology), \(isFreeRunning ? "free running" : "in rounds")"
  }

  /// What they do, in words.
  var workload: String { "\(operations.grouped) operations, seed \(seed)" }

  /// All of it in a line.
  var title: String { "\(setting), \(workload)" }

  /// How to see the same again, or something like it.
  var hint: String {
    let place = storeFolder == nil ? "" : ", with a new folder"
    return "Seed \(seed). To see it again\(place):\n  \(command)\n"
  }

  /// The command that does the same again.
  var command: String {
    var words = ["crdt-demo simulate --replicas \(replicas) --ops \(operations) --seed \(seed)"]
    words.append("--topology \(topology) --loss \(faults.loss)")
    words.append("--duplicate \(faults.duplicate) --reorder \(faults.reorder)")
    words.append("--corrupt \(faults.corrupt) --cut \(faults.cut)")
    words.append("--timeout \(timeoutSeconds)")
    if let storeFolder { words.append("--store \(Self.quoted(storeFolder))") }
    if let crash { words.append("--crash \(crash)") }
    if isFreeRunning { words.append("--free-running") }
    if let sabotage { words.append("--sabotage \(sabotage)") }
    return words.joined(separator: " ")
  }

  /// A word as a shell understands it.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte
        || [UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: ",")].contains(byte)
    }
    return isPlain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
