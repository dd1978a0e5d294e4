extension Coordinator {
  /// Starts those that are there from the beginning.
  mutating func startReplicas() throws(Trouble) {
    let present = shares.indices.filter { presence[$0] == .here }
    for index in present { try pool.start(index) }
    for index in present { try introduce(index) }
  }

  /// Tells a process who it is.
  private mutating func introduce(_ index: Int) throws(Trouble) {
    if options.crash == nil {
      pool.send(.start(settings(of: index)), to: index)
    } else {
      try open(index)
    }
  }

  func settings(of index: Int) -> ReplicaSettings {
    ReplicaSettings(
      index: index,
      replicas: options.replicas,
      neighbours: options.topology.neighbours(of: index, among: options.replicas),
      operations: shares[index],
      batchMax: SimulationOptions.batchMax(shares[index]),
      seed: options.seed,
      isFreeRunning: options.isFreeRunning,
      patienceMilliseconds: Int(options.timeoutSeconds * 2_000) + 5_000,
      sabotage: options.sabotage.flatMap { $0.replica == index ? $0 : nil },
      store: storeSettings(of: index),
      tellsState: tellsState,
      marksLedger: !options.leaves.isEmpty,
      task: tasks[index],
      clock: clocks[index],
      silenceMax: LinkPace.patience(options, windowBytes: Neighbour.windowBytes))
  }

  /// Lets all happen that is due in a step, before it begins.
  mutating func keepTimetable(at step: Int) throws(Trouble) {
    for event in timetable.due(at: step) {
      switch event {
      case .join(let index): try join(index)
      case .leave(let index): leaving.insert(index)
      case .jump(let index, let milliseconds):
        clocks[index].jump(by: milliseconds)
        guard presence[index] == .here else { continue }
        recorder?.record(.clock, index, detail: "\(milliseconds) ms")
        pool.send(.jump(milliseconds), to: index)
      case .part(let groups):
        recorder?.record(.partition, detail: Scenario.Partition.words(groups))
        network.part(groups, at: step)
      case .heal(let groups):
        recorder?.record(.heal, detail: Scenario.Partition.words(groups))
        network.reunite(groups, at: step)
      }
    }
    // Who is stopped can leave when it goes on.
    for index in leaving.sorted() where standstills[index] == nil { try leave(index) }
  }

  private mutating func join(_ index: Int) throws(Trouble) {
    guard presence[index] == .away else { return }
    presence[index] = .here
    recorder?.record(.join, index)
    network.open(linksOf: index, at: rounds)
    try pool.start(index)
    try introduce(index)
  }

  /// Lets a replica end for good; what it has not passed on goes with it.
  private mutating func leave(_ index: Int) throws(Trouble) {
    leaving.remove(index)
    if presence[index] == .here {
      farewells.merge(try reports(of: [index])) { $1 }
      try pool.end(index)
      network.close(linksOf: index, at: rounds)
    }
    presence[index] = .gone
    recorder?.record(.leave, index)
  }

  /// Who is still there, in groups that can reach each other.
  var remainingGroups: [[Int]] {
    let neighbours = options.topology.neighbours(among: options.replicas)
    var groups: [[Int]] = []
    var isReached = presence.map { $0 != .here }
    for start in presence.indices where !isReached[start] {
      isReached[start] = true
      var group = [start]
      var place = 0
      while place < group.count {
        for neighbour in neighbours[group[place]] where !isReached[neighbour] {
          isReached[neighbour] = true
          group.append(neighbour)
        }
        place += 1
      }
      groups.append(group.sorted())
    }
    return groups
  }
}
