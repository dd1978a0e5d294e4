import CRDTStoreTesting
import Toolkit

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
/// Updates at moments of each node's own, and a look every second, give the same
/// ratios within three percent.
struct ExperimentRun<Node: Synchronizer> {
  private let setting: ExperimentSetting
  private var random: SeededGenerator
  private var network: ExperimentNetwork<Node>
  private var expected: [UInt64: UInt64] = [:]
  private var isComplete: [Bool]
  /// Whether anything was sent in the last second.
  private var hasSent = false
  private var heldSum = 0
  private var heldCount = 0
  private var outcome = ExperimentOutcome()

  /// How long a node waits before it looks whether it has all, in seconds.
  private static var checkInterval: Int { 2 }

  /// How many seconds after the last update a run is given up.
  private static var patience: Int { 600 }

  init(_ setting: ExperimentSetting, settings: Node.Settings) {
    self.setting = setting
    random = SeededGenerator(seed: setting.seed, stream: 1)
    network = ExperimentNetwork(setting.topology, seed: setting.seed, settings: settings)
    isComplete = Array(repeating: false, count: setting.topology.nodeCount)
  }

  /// Runs it to its end.
  mutating func run() -> ExperimentOutcome {
    let start = Syscalls.processorMicroseconds
    let measuresBytes = setting.measuresBytes
    var cost = ExperimentCost()
    var sent = 0
    func note(_ message: Node.Message) {
      sent += 1
      cost += Node.cost(of: message, measuringBytes: measuresBytes)
    }
    network.start(note)
    outcome.bytesBySecond = [cost.bytes]
    var second = 1
    while !isOver(at: second) {
      if second <= setting.workload.updatesPerNode { makeUpdates(at: second) }
      let sentBefore = sent
      network.synchronize(note)
      hasSent = sent > sentBefore
      outcome.bytesBySecond.append(cost.bytes)
      noteHeld()
      second += 1
    }
    outcome.cost = cost
    outcome.timePerNode =
      .microseconds(Syscalls.processorMicroseconds - start) / network.nodes.count
    outcome.hasConverged = !isComplete.contains(false)
    outcome.heldMean = Double(heldSum) / Double(max(heldCount, 1))
    return outcome
  }

  private mutating func makeUpdates(at second: Int) {
    for node in network.nodes.indices {
      let update = setting.workload.update(by: node, at: second, using: &random)
      setting.workload.apply(update, by: node, to: &expected)
      network.nodes[node].update(update)
      outcome.updates += 1
      outcome.updatedElements += update.elementCount
    }
  }

  private mutating func noteHeld() {
    for node in network.nodes {
      let held = node.held
      heldSum += held
      outcome.heldMax = max(outcome.heldMax, held)
    }
    heldCount += network.nodes.count
  }

  private mutating func isOver(at second: Int) -> Bool {
    let waited = second - setting.workload.updatesPerNode
    guard waited > 0 else { return false }
    for node in network.nodes.indices where !isComplete[node] {
      isComplete[node] = network.nodes[node].reading == expected
    }
    if isComplete.contains(false) { outcome.roundsToConvergence = waited }
    if waited > Self.patience { return true }
    guard !isComplete.contains(false) else { return false }
    if setting.drains { return !hasSent }
    return waited.isMultiple(of: Self.checkInterval)
  }
}
