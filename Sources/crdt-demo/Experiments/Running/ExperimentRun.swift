/// An experiment in virtual time, on links that lose nothing and take no time.
///
/// All nodes are told to begin at the same moment; each makes an update at every
/// whole second from 1 on. A node synchronizes with all its neighbours once a second,
/// at a moment within the second that is its own: the program of the paper starts
/// these timers when a node comes up, long before the nodes are told to begin.
/// Two seconds after its last update, and every two seconds from then on, a node
/// looks whether it has all; the run ends when every node has found so, and until
/// then all of them go on synchronizing.
///
/// A message, its answers and theirs are taken in before anything else happens.
/// Updates at moments of each node's own, and a look every second, give the same
/// ratios within three percent.
struct ExperimentRun<Node: Synchronizer> {
  private let setting: ExperimentSetting
  private var random: SplitMix64
  private var nodes: [Node]
  /// Nodes in the order of their moments within a second.
  private let order: [Int]
  private var outbox = Outbox<Node.Message>()
  private var expected: [UInt64: UInt64] = [:]
  private var isComplete: [Bool]
  private var sentInLastSecond = 0
  private var heldSum = 0
  private var heldCount = 0
  private var outcome = ExperimentOutcome()

  /// How long a node waits before it looks whether it has all, in seconds.
  private static var checkInterval: Int { 2 }

  /// How many seconds after the last update a run is given up.
  private static var patience: Int { 600 }

  init(_ setting: ExperimentSetting, settings: Node.Settings) {
    self.setting = setting
    let topology = setting.topology
    random = SplitMix64(seed: setting.seed, stream: 1)
    var phases = SplitMix64(seed: setting.seed, stream: 2)
    let moments = topology.neighbours.map { _ in phases.next() }
    order = moments.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
    nodes = topology.neighbours.enumerated().map { node, neighbours in
      Node(
        node: node, neighbours: neighbours, nodeCount: topology.nodeCount, settings: settings)
    }
    isComplete = nodes.map { _ in false }
  }

  /// Runs it to its end.
  mutating func run() -> ExperimentOutcome {
    let start = Syscalls.processorMicroseconds
    startNodes()
    var second = 1
    while !isOver(at: second) {
      if second <= setting.workload.updatesPerNode { makeUpdates(at: second) }
      sentInLastSecond = 0
      for node in order {
        nodes[node].synchronize(&outbox)
        deliver([(node, outbox.removeAll())])
      }
      noteHeld()
      second += 1
    }
    outcome.timePerNode =
      .microseconds(Syscalls.processorMicroseconds - start) / nodes.count
    outcome.hasConverged = !isComplete.contains(false)
    outcome.heldMean = Double(heldSum) / Double(max(heldCount, 1))
    return outcome
  }

  private mutating func makeUpdates(at second: Int) {
    for node in nodes.indices {
      let update = setting.workload.update(by: node, at: second, using: &random)
      setting.workload.apply(update, by: node, to: &expected)
      nodes[node].update(update)
      outcome.updates += 1
      outcome.updatedElements += update.elementCount
    }
  }

  /// All nodes start before any message arrives.
  private mutating func startNodes() {
    var batches: [(source: Int, items: [Outbox<Node.Message>.Item])] = []
    for node in nodes.indices {
      nodes[node].start(&outbox)
      batches.append((node, outbox.removeAll()))
    }
    deliver(batches)
  }

  /// Delivers what nodes send, and all that is answered to it.
  private mutating func deliver(_ sent: [(source: Int, items: [Outbox<Node.Message>.Item])]) {
    var batches = sent
    var place = 0
    while place < batches.count {
      let (source, items) = batches[place]
      batches[place].items = []
      for item in items {
        sentInLastSecond += 1
        outcome.cost += Node.cost(of: item.message, measuringBytes: setting.measuresBytes)
        nodes[item.target].receive(item.message, from: source, &outbox)
        let answers = outbox.removeAll()
        if !answers.isEmpty { batches.append((item.target, answers)) }
      }
      place += 1
    }
  }

  private mutating func noteHeld() {
    for node in nodes {
      let held = node.held
      heldSum += held
      outcome.heldMax = max(outcome.heldMax, held)
    }
    heldCount += nodes.count
  }

  private mutating func isOver(at second: Int) -> Bool {
    let waited = second - setting.workload.updatesPerNode
    guard waited > 0 else { return false }
    for node in nodes.indices where !isComplete[node] {
      isComplete[node] = nodes[node].reading == expected
    }
    if isComplete.contains(false) { outcome.roundsToConvergence = waited }
    if waited > Self.patience { return true }
    guard !isComplete.contains(false) else { return false }
    if setting.drains { return sentInLastSecond == 0 }
    return waited.isMultiple(of: Self.checkInterval)
  }
}
