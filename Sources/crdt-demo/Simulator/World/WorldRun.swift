import Toolkit

/// Judges a ``World`` while it runs, and at the end.
protocol WorldJudge {
  associatedtype Node: WorldNode

  var violations: [Violation] { get }

  /// Judges the result of a call of a node.
  mutating func observe(_ result: World<Node>.StepResult, in world: inout World<Node>)

  /// Judges the result of an action on the world.
  mutating func observeAction(in world: World<Node>)

  /// Records that a step of the schedule was performed.
  mutating func note(_ what: WorldAction, in world: inout World<Node>)

  /// Stops all faults of nodes themselves, and returns how many intervals it may take until
  /// the world has settled.
  func heal(_ world: inout World<Node>) -> UInt64

  /// Whether nothing is left to be exchanged within these groups.
  func isSettled(_ groups: [[Int]], in world: World<Node>) -> Bool

  /// Records that the world has not settled after a number of intervals.
  mutating func reportUnsettled(after intervals: UInt64, in world: World<Node>)

  /// Judges the final states.
  mutating func finish(_ groups: [[Int]], in world: World<Node>)

  /// Adds its own results.
  func complete(_ outcome: inout WorldOutcome, of world: World<Node>)

  func progressRows(of world: World<Node>) -> [SimulationProgress.Row]
}

/// A running schedule.
struct WorldRun<Judge: WorldJudge> {
  private let schedule: WorldSchedule
  private var world: World<Judge.Node>
  private var judge: Judge
  private let progress: ProgressSink?

  init(
    _ schedule: WorldSchedule, _ nodes: [Judge.Node], _ neighbours: [[Int]], _ judge: Judge,
    _ sink: TraceSink?, _ progress: ProgressSink?
  ) {
    self.schedule = schedule
    self.judge = judge
    self.progress = progress
    world = World(
      nodes: nodes, neighbours: neighbours, conditions: schedule.conditions, seed: schedule.seed)
    world.sink = sink
  }

  mutating func play() -> WorldOutcome {
    if world.sink != nil { world.traceBegin(schedule.title, command: schedule.command) }
    world.prepare(for: schedule)
    playSteps()
    world.traceEnd(judge.violations)
    var outcome = WorldOutcome()
    outcome.counts = world.counts
    outcome.violations = judge.violations
    outcome.time = world.now
    judge.complete(&outcome, of: world)
    return outcome
  }

  private mutating func playSteps() {
    let count = schedule.steps.count
    for (number, step) in schedule.steps.enumerated() {
      run(until: step.time)
      guard judge.violations.isEmpty else { return }
      perform(step)
      show("\(number.grouped) of \(count.grouped) steps")
    }
    if judge.violations.isEmpty { settle() }
    if judge.violations.isEmpty { judge.finish(world.remainingGroups, in: world) }
  }

  private mutating func run(until time: UInt64) {
    while let next = world.nextTime, next < time {
      guard let result = world.step() else { break }
      if result.place >= 0 {
        judge.observe(result, in: &world)
      } else if result.kind == .action {
        judge.observeAction(in: world)
      }
    }
    world.run(until: time)
  }

  private mutating func perform(_ step: WorldSchedule.Step) {
    var result: World<Judge.Node>.StepResult?
    switch step.what {
    case .edit(let place, let number): result = world.editNow(place, number: number)
    case .editAhead(let place, let number, let ahead):
      result = world.editNow(place, number: number, ahead: ahead)
    case .crash(let place, _, _, _) where !world.isUp(place): return
    default: world.perform(step.what)
    }
    if let result { judge.observe(result, in: &world) }
    judge.note(step.what, in: &world)
  }

  /// Finishes all that has begun, heals the links, and waits until the world has settled.
  private mutating func settle() {
    run(until: schedule.quietTime)
    guard judge.violations.isEmpty else { return }
    world.heal()
    let intervals = judge.heal(&world)
    let deadline =
      world.now + intervals * (schedule.interval + 4 * schedule.conditions.latency)
    let groups = world.remainingGroups
    while world.now < deadline {
      run(until: world.now + schedule.interval)
      if !judge.violations.isEmpty || judge.isSettled(groups, in: world) { return }
      show("healing")
    }
    judge.reportUnsettled(after: intervals, in: world)
  }

  private func show(_ headline: @autoclosure () -> String) {
    progress? {
      SimulationProgress(
        headline: headline(), rows: judge.progressRows(of: world),
        faults: world.counts.faultsInWords)
    }
  }
}

/// The outcome of a ``WorldSchedule``.
struct WorldOutcome: Sendable {
  var counts = WorldCounts()
  var violations: [Violation] = []
  /// Its duration in microseconds of virtual time.
  var time: UInt64 = 0
  /// The number of checked states.
  var checks = 0
  /// The processor time of the checks in microseconds.
  var checkingMicroseconds = 0
  /// The number of durable edits.
  var edits = 0
  /// The number of received deltas, of those with new events, and of those that arrived
  /// over a gap; for sessions, the number of learned ones.
  var deltas = 0
  var applied = 0
  var gaps = 0
  /// The final digest of all replicas, and a description of the value.
  var digest = ""
  var summary = ""
  /// The final number of replicas.
  var remaining = 0
}
