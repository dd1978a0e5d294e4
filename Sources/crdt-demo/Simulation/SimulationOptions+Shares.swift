extension SimulationOptions {
  /// The most operations that a replica makes in one round.
  static func batchMax(_ share: Int) -> Int { max(20, share / 100) }

  /// About how many rounds it takes until all operations are made.
  var roundsExpected: Int {
    let share = operations / replicas + 1
    guard let operationsPerRound else { return max(1, 2 * share / (Self.batchMax(share) + 1)) }
    return max(1, Int((Double(share) / operationsPerRound).rounded(.up)))
  }

  /// How many operations each replica makes in a round, where a rate says so.
  private var operationsPerRound: Double? {
    rate.map { $0 * interval / 1_000 / Double(replicas) }
  }

  /// About how long a round takes at most, in microseconds.
  func roundMicroseconds(_ shares: [Int]) -> Int {
    let share = shares.max() ?? 0
    let batch = operationsPerRound.map { Int(min($0, Double(share))) } ?? Self.batchMax(share)
    return max(2_000, 50 * batch)
  }

  /// What each replica is to do; of a history, its lanes are shared among them.
  func tasks(replaying history: HistoryTrace?) -> [ReplicaTask] {
    let task = ReplicaTask(
      workload: workload, keys: keys, operationsPerRound: operationsPerRound)
    var tasks = Array(repeating: task, count: replicas)
    guard let history else { return tasks }
    let (edits, keys) = history.edits(among: replicas)
    for place in tasks.indices {
      tasks[place] = ReplicaTask(
        workload: .map, keys: max(keys, 1), operationsPerRound: operationsPerRound, script: [])
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
