import CRDTKit
import CRDTStoreTesting
import Toolkit

/// A scenario while processes play it: the nodes of a ``World`` are replicas on pipes.
///
/// The world carries their streams and draws faults. Once an interval, all processes get an
/// order and work in parallel. When all have answered, their messages are posted in the
/// order of their indices. So nothing depends on real time.
struct ProcessRun {
  let setup: ProcessScenario
  let schedule: WorldSchedule
  private let tasks: [ReplicaTask]
  var world: World<ProcessNode>
  var pool: ReplicaPool
  let progress: ProgressSink?
  /// What is known of replicas whose processes are killed.
  var mortals: [MortalReplica]
  /// Draws at what moments processes are killed and stopped.
  var moments: SeededGenerator
  /// How many steps of the schedule have begun.
  var stepsBegun = 0
  /// How many operations each replica is to make by now, and has made.
  var targets: [Int]
  var made: [Int]
  /// How many operations of each are in the trace.
  var traced: [Int]
  /// Those that have yet to come.
  var isAway: [Bool]
  /// Whether there is a process that knows who it is.
  var isRunning: [Bool]
  /// Those that leave as soon as they can.
  var leaving: Set<Int> = []
  /// What those have told who left.
  var farewells: [Int: ReplicaReport] = [:]
  /// Those that are killed in the next round, and how long they are down.
  var doomed: [Int: UInt64] = [:]
  /// Those that are stopped in the next round, and for how long.
  var halting: [Int: UInt64] = [:]
  /// Those that are stopped by now.
  var stopped: Set<Int> = []
  /// Those that have yet to answer an order.
  var owing: Set<Int> = []
  /// How many times each was stopped.
  var pauses: [Int]
  /// How many times in a row a process was killed while it opened its store.
  var openingsKilled = 0
  /// The number of started rounds.
  var rounds = 0

  init(
    _ setup: ProcessScenario, history: HistoryTrace? = nil, trace: TraceSink? = nil,
    progress: ProgressSink? = nil
  ) {
    var scenario = setup.scenario
    // To processes that run freely, ten milliseconds are an interval.
    if setup.isFreeRunning { scenario.interval = min(scenario.interval, 10) }
    self.setup = setup
    self.progress = progress
    tasks = setup.tasks(replaying: history)
    schedule = scenario.schedule(history: history)
    let neighbours = scenario.topology.neighbours(among: scenario.replicas)
    let nodes = neighbours.enumerated().map { place, others in
      ProcessNode(place: place, neighbours: others, seed: scenario.seed)
    }
    world = World(
      nodes: nodes, neighbours: neighbours, conditions: schedule.conditions, seed: scenario.seed)
    world.sink = trace
    pool = ReplicaPool(count: scenario.replicas, timeout: .seconds(setup.timeoutSeconds))
    mortals = Array(repeating: MortalReplica(), count: scenario.replicas)
    if !scenario.leaves.isEmpty {
      for place in mortals.indices { mortals[place].marked = SharedDocument.replica(place) }
    }
    moments = SeededGenerator(seed: scenario.seed, stream: 1 << 62)
    targets = Array(repeating: 0, count: scenario.replicas)
    (made, traced, pauses) = (targets, targets, targets)
    isRunning = targets.map { _ in false }
    isAway = isRunning
    for join in scenario.joins { isAway[join.replica] = true }
  }

  /// Plays the scenario to its end.
  ///
  /// All child processes end, even after an error.
  mutating func play() throws(CommandFailure) -> SimulationResult {
    if world.sink != nil { world.traceBegin(setup.title, command: setup.command) }
    do {
      try makeStoreFolder()
      world.prepare(for: schedule, ticking: false)
      try startProcesses()
      if setup.isFreeRunning { try runFreely() } else { try runRounds() }
      let healRounds = try heal()
      let reports = try collectReports()
      try pool.stop(patiently: true)
      let result = result(healRounds: healRounds, reports: reports)
      traceEnd(result)
      return result
    } catch {
      try? pool.stop(patiently: false)
      if world.sink != nil {
        world.trace(.violation, nil, detail: "\(error)")
        world.trace(.end, nil, detail: "the run ended early: \(error)")
      }
      let lost = mortals.reduce(0) { $0 + $1.lost }
      guard lost > 0 else { throw error }
      throw CommandFailure("\(error); \(lost.grouped) acknowledged changes were lost before")
    }
  }

  private func result(healRounds: Int, reports: [ReplicaReport]) -> SimulationResult {
    let groups = world.remainingGroups
    return SimulationResult(
      setup: setup, rounds: rounds, healRounds: healRounds, reports: reports, groups: groups,
      links: world.counts, kills: mortals.map(\.kills), pauses: pauses,
      lost: eventsLost(reports, in: groups))
  }

  /// The settings of a replica whose process starts.
  func settings(of place: Int) -> ReplicaSettings {
    let scenario = setup.scenario
    return ReplicaSettings(
      index: place, replicas: scenario.replicas, neighbours: world.nodes[place].neighbours,
      seed: scenario.seed, patienceMilliseconds: Int(setup.timeoutSeconds * 2_000) + 5_000,
      sabotage: scenario.sabotage.flatMap { $0.replica == place ? $0 : nil },
      store: storeSettings(of: place), tellsState: tellsState,
      marksLedger: !scenario.leaves.isEmpty, task: tasks[place],
      silenceMax: schedule.settings.patience)
  }

  func unasked(_ place: Int) -> CommandFailure {
    CommandFailure("replica \(place + 1), \(pool.occasion), said what it was not asked for")
  }
}

extension ProcessRun {
  /// Whether replicas tell in each round what their documents are.
  ///
  /// It takes time in proportion to the document: for the trace always, for who
  /// watches only where that is nothing to speak of.
  private var tellsState: Bool {
    world.sink != nil || (progress != nil && setup.scenario.operations <= 20_000)
  }

  /// Traces what a replica has done, and what it holds after it.
  mutating func traceState(of place: Int, _ state: ReplicaState?) {
    let isNew = state != nil && state?.digest != world.nodes[place].state?.digest
    if let state { world.nodes[place].state = state }
    let edits = made[place] - traced[place]
    traced[place] = made[place]
    guard world.sink != nil, edits > 0 || isNew else { return }
    world.traceNode(edits > 0 ? .edit : .learn, place, events: edits > 0 ? edits : nil)
  }

  private mutating func traceEnd(_ result: SimulationResult) {
    guard world.sink != nil else { return }
    for (place, report) in result.reports.enumerated() where !world.hasLeft(place) {
      world.nodes[place].state = report.state
      world.traceNode(.check, place)
    }
    if !result.hasConverged { world.trace(.violation, nil, detail: result.verdict) }
    world.trace(.end, nil, detail: result.verdict)
  }

  /// How many operations were made, in words.
  var workDone: String {
    "\(made.reduce(0, +).grouped) of \(setup.scenario.operations.grouped) operations"
  }

  /// Shows the progress.
  func show(_ headline: String) {
    progress? {
      SimulationProgress(
        headline: headline, rows: made.indices.map(row), faults: world.counts.faultsInWords)
    }
  }

  private func row(of place: Int) -> SimulationProgress.Row {
    let node = world.nodes[place]
    let share = Double(made[place] * made.count) / Double(max(setup.scenario.operations, 1))
    return SimulationProgress.Row(
      share: min(share, 1), done: made[place].grouped, bytes: node.bytesSent,
      digest: node.state?.digest, note: note(on: place))
  }

  private func note(on place: Int) -> String {
    if isAway[place] { return "to come" }
    if world.hasLeft(place) { return "left" }
    if world.isPaused(place) { return "stopped" }
    let kills = mortals[place].kills
    return kills == 0 ? "" : kills.counted("kill")
  }
}

/// How much longer to wait for something.
///
/// Only time spent waiting counts, and of that no more than a little at a time:
/// a program that was stopped and let go on has not timed out.
struct Timeout {
  private static let slice = Duration.milliseconds(100)

  private let full: Duration
  private var left: Duration

  init(_ full: Duration) {
    self.full = full
    left = full
  }

  var isOver: Bool { left <= .zero }

  /// The next wait, in milliseconds.
  var sliceMilliseconds: Int {
    let slice = min(left, Self.slice)
    return max(Int(slice / .milliseconds(1)), 1)
  }

  /// Records a wait without a result.
  mutating func spend(_ waited: Duration) {
    left -= min(max(waited, .milliseconds(1)), Self.slice)
  }

  /// Resets the timeout after a message.
  mutating func renew() {
    left = full
  }
}
