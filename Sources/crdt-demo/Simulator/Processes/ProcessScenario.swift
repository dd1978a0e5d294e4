import Toolkit

/// A scenario whose replicas are processes, with the settings that worlds lack.
struct ProcessScenario: Equatable {
  var scenario = Scenario()
  /// Where the replicas have their stores, if they have any.
  var store: String?
  /// How long a replica may be silent before it counts as failed.
  var timeoutSeconds = 10.0
  /// Whether real time decides what comes first.
  var isFreeRunning = false
  /// The command that plays it again.
  var command = ""

  /// Who takes part, in words.
  var setting: String {
    "\(scenario.replicas) replicas in a \(scenario.topology), "
      + (isFreeRunning ? "free running" : "in rounds")
  }

  /// What they do, in words.
  var work: String {
    let kind = scenario.workload == .mixed ? "" : " (\(scenario.workload.rawValue))"
    let what = scenario.history.map { " of \($0)" } ?? kind
    return "\(scenario.operations.grouped) operations\(what), seed \(scenario.seed)"
  }

  /// All of it in a line.
  var title: String { "\(setting), \(work)" }

  /// How to see the same again, or something like it.
  var hint: String {
    let place = store == nil ? "" : ", with a new folder"
    return "Seed \(scenario.seed). To see it again\(place):\n  \(command)\n"
  }

  var problem: String? {
    if store == "" { return "'--store' needs the name of a folder" }
    if scenario.crash != nil, store == nil { return "'--crash' needs '--store'" }
    if isFreeRunning, let name = namesOfRounds.first {
      return "'--\(name)' needs rounds, not '--free-running'"
    }
    return scenario.sabotage?.kind == .fork && store != nil
      ? "a store keeps its replica from the sabotage 'fork'" : nil
  }

  /// The options given that only mean something in rounds.
  private var namesOfRounds: [String] {
    [
      ("crash", scenario.crash != nil), ("rate", scenario.rate != Scenario().rate),
      ("jumps", scenario.clocks.jumps > 0), ("join", !scenario.joins.isEmpty),
      ("leave", !scenario.leaves.isEmpty),
    ].filter(\.1).map(\.0)
  }

  /// What each replica's operations are; of a history, its lanes are shared among them.
  func tasks(replaying history: HistoryTrace?) -> [ReplicaTask] {
    let task = ReplicaTask(workload: scenario.workload, keys: scenario.keys)
    var tasks = Array(repeating: task, count: scenario.replicas)
    guard let history else { return tasks }
    let (edits, keys) = history.edits(among: scenario.replicas)
    for place in tasks.indices {
      tasks[place] = ReplicaTask(workload: .map, keys: max(keys, 1), script: [])
    }
    for (place, edit) in edits.prefix(Scenario.operationsMax) {
      tasks[place].script?.append(edit)
    }
    return tasks
  }
}
