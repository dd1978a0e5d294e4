extension SimulationOptions {
  /// The most operations that a replica makes in one round.
  static func batchMax(_ share: Int) -> Int { max(20, share / 100) }

  /// About how many rounds it takes until all operations are made.
  var roundsExpected: Int {
    let share = operations / replicas + 1
    return max(1, 2 * share / (Self.batchMax(share) + 1))
  }

  /// What each replica is to do; of a history, its lanes are shared among them.
  func tasks(replaying history: HistoryTrace?) -> [ReplicaTask] {
    let task = ReplicaTask(workload: workload, keys: keys)
    var tasks = Array(repeating: task, count: replicas)
    guard let history else { return tasks }
    let (edits, keys) = history.edits(among: replicas)
    for place in tasks.indices {
      tasks[place] = ReplicaTask(workload: .map, keys: max(keys, 1), script: [])
    }
    for (place, edit) in edits.prefix(Scenario.operationsMax) {
      tasks[place].script?.append(edit)
    }
    return tasks
  }

  /// How many operations each replica makes.
  func shares(of tasks: [ReplicaTask]) -> [Int] {
    let (share, rest) = operations.quotientAndRemainder(dividingBy: replicas)
    return tasks.enumerated().map { place, task in
      task.script?.count ?? share + (place < rest ? 1 : 0)
    }
  }
}
