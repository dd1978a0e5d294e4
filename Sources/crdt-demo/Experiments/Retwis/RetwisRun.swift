/// The Twitter clone in virtual time, on links that lose nothing and take no time.
///
/// As in ``ExperimentRun``, all nodes begin at the same moment and make an operation
/// a period, and a node synchronizes once a period at a moment of its own. The
/// paper's program had periods of half a second, and nodes that looked every two
/// seconds whether they had all.
struct RetwisRun<Node: RetwisNode> {
  private let workload: RetwisWorkload
  private var nodes: [Node]
  /// Nodes in the order of their moments within a period.
  private let order: [Int]
  private var outbox = Outbox<Node.Message>()
  private var outcome = ExperimentOutcome()

  /// How many periods a node waits before it looks whether it has all.
  private static var checkInterval: Int { 4 }

  /// How many periods after the last operation a run is given up.
  private static var patience: Int { 600 }

  init(_ workload: RetwisWorkload, seed: UInt64, settings: Node.Settings) {
    self.workload = workload
    let topology = ExperimentTopology.mesh(nodeCount: workload.size.nodeCount)
    var phases = SplitMix64(seed: seed, stream: 2)
    let moments = topology.neighbours.map { _ in phases.next() }
    order = moments.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
    nodes = topology.neighbours.enumerated().map { node, neighbours in
      Node(
        node: node, neighbours: neighbours, nodeCount: workload.size.nodeCount, settings: settings)
    }
  }

  /// Runs it to its end.
  mutating func run() -> ExperimentOutcome {
    let start = Syscalls.processorMicroseconds
    startNodes()
    var period = 1
    while !isOver(at: period) {
      for node in nodes.indices where period <= workload.size.operationsPerNode {
        nodes[node].perform(workload.operations[node][period - 1])
        outcome.updates += 1
      }
      for node in order {
        nodes[node].synchronize(&outbox)
        deliver([(node, outbox.removeAll())])
      }
      period += 1
    }
    outcome.timePerNode =
      .microseconds(Syscalls.processorMicroseconds - start) / nodes.count
    outcome.updatedElements = nodes[0].elementCount
    outcome.heldMax = nodes.map(\.elementCount).max() ?? 0
    return outcome
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
        outcome.cost += Node.cost(of: item.message)
        nodes[item.target].receive(item.message, from: source, &outbox)
        let answers = outbox.removeAll()
        if !answers.isEmpty { batches.append((item.target, answers)) }
      }
      place += 1
    }
  }

  /// Who made something has it: where all hold the same, they hold all.
  private mutating func isOver(at period: Int) -> Bool {
    let waited = period - workload.size.operationsPerNode
    guard waited > 0 else { return false }
    let digest = nodes[0].digest
    outcome.hasConverged = nodes.allSatisfy { $0.digest == digest }
    if waited > Self.patience { return true }
    guard outcome.hasConverged else {
      outcome.roundsToConvergence = waited
      return false
    }
    return waited.isMultiple(of: Self.checkInterval)
  }
}
