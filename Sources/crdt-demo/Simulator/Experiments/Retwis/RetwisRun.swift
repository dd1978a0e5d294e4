import Toolkit

/// The Twitter clone in virtual time, on links that lose nothing and take no time.
///
/// As in ``ExperimentRun``, all nodes begin at the same moment and make an operation
/// a period, and a node synchronizes once a period at a moment of its own. The
/// paper's program had periods of half a second, and nodes that looked every two
/// seconds whether they had all.
struct RetwisRun<Node: RetwisNode> {
  private let workload: RetwisWorkload
  private var network: ExperimentNetwork<Node>
  private var outcome = ExperimentOutcome()

  private static var periodsPerSecond: Int { 2 }

  /// How many periods a node waits before it looks whether it has all.
  private static var checkInterval: Int { 4 }

  /// How many periods after the last operation a run is given up.
  private static var patience: Int { 600 }

  init(_ workload: RetwisWorkload, seed: UInt64, settings: Node.Settings) {
    self.workload = workload
    network = ExperimentNetwork(
      .mesh(nodeCount: workload.size.nodeCount), seed: seed, settings: settings)
  }

  /// Runs it to its end.
  mutating func run() -> ExperimentOutcome {
    let start = Syscalls.processorMicroseconds
    var cost = ExperimentCost()
    func note(_ message: Node.Message) { cost += Node.cost(of: message) }
    network.start(note)
    outcome.bytesBySecond = [cost.bytes]
    var period = 1
    while !isOver(at: period) {
      for node in network.nodes.indices where period <= workload.size.operationsPerNode {
        network.nodes[node].perform(workload.operations[node][period - 1])
        outcome.updates += 1
      }
      network.synchronize(note)
      if period % Self.periodsPerSecond == 0 { outcome.bytesBySecond.append(cost.bytes) }
      period += 1
    }
    outcome.cost = cost
    outcome.timePerNode =
      .microseconds(Syscalls.processorMicroseconds - start) / network.nodes.count
    outcome.updatedElements = network.nodes[0].elementCount
    outcome.heldMax = network.nodes.map(\.elementCount).max() ?? 0
    return outcome
  }

  /// Who made something has it: where all hold the same, they hold all.
  private mutating func isOver(at period: Int) -> Bool {
    let waited = period - workload.size.operationsPerNode
    guard waited > 0 else { return false }
    let digest = network.nodes[0].digest
    outcome.hasConverged = network.nodes.allSatisfy { $0.digest == digest }
    if waited > Self.patience { return true }
    guard outcome.hasConverged else {
      outcome.roundsToConvergence = waited
      return false
    }
    return waited.isMultiple(of: Self.checkInterval)
  }
}
