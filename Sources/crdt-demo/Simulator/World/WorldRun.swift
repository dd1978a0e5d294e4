import CRDTKit
import Toolkit

/// A running schedule.
struct WorldRun<Node: ReplicaNode> {
  private let schedule: WorldSchedule
  private(set) var world: World<Node>
  private(set) var checker: WorldChecker<Node>
  let progress: ProgressSink?

  init(
    _ schedule: WorldSchedule, _ nodes: [Node], _ neighbours: [[Int]],
    _ sink: TraceSink?, _ progress: ProgressSink? = nil
  ) {
    self.schedule = schedule
    self.progress = progress
    world = World(
      nodes: nodes, neighbours: neighbours, conditions: schedule.conditions, seed: schedule.seed)
    world.sink = sink
    checker = WorldChecker(
      places: nodes.count, sampling: schedule.sampling, seed: schedule.seed,
      hasForks: schedule.settings.hasForks)
  }

  mutating func play() -> WorldOutcome {
    if world.sink != nil { world.traceBegin(schedule.title, command: schedule.command) }
    world.prepare(for: schedule)
    playSteps()
    world.traceEnd(checker.violations)
    return outcome()
  }

  private mutating func playSteps() {
    let count = schedule.steps.count
    for (number, step) in schedule.steps.enumerated() {
      run(until: step.time)
      guard checker.violations.isEmpty else { break }
      perform(step)
      show("\(number.grouped) of \(count.grouped) steps")
    }
    if checker.violations.isEmpty { settle() }
    guard checker.violations.isEmpty else { return }
    let groups = world.remainingGroups
    for group in groups { checker.finish(group, areAll: groups.count == 1, in: world) }
  }

  /// The largest world in which all knowledge of replicas about each other is checked.
  private static var promisingMax: Int { 16 }

  private mutating func run(until time: UInt64) {
    while let next = world.nextTime, next < time { advance() }
    world.run(until: time)
  }

  private mutating func advance() {
    guard let stepResult = world.step() else { return }
    if stepResult.place >= 0 {
      checker.observe(stepResult, in: &world)
    } else if stepResult.kind == .action, world.nodes.count <= Self.promisingMax {
      checker.checkPromises(in: world)
    }
  }

  private mutating func perform(_ step: WorldSchedule.Step) {
    switch step.what {
    case .edit(let place, let number):
      guard let stepResult = world.editNow(place, number: number) else { return }
      checker.observe(stepResult, in: &world)
    case .editAhead(let place, let number, let ahead):
      guard let stepResult = world.editNow(place, number: number, ahead: ahead) else { return }
      checker.observe(stepResult, in: &world)
    case .crash(let place, _, _, _):
      guard world.isUp(place) else { return }
      world.perform(step)
      checker.take(place, in: &world)
      checker.note(step.what, in: world)
    default:
      world.perform(step)
      checker.note(step.what, in: world)
    }
  }

  /// Finishes all that has begun, heals the links, and waits until all replicas agree.
  private mutating func settle() {
    run(until: schedule.quietTime)
    guard checker.violations.isEmpty else { return }
    world.heal()
    let patience = UInt64(200 + 40 * schedule.replicas)
    let deadline =
      world.now + patience * (schedule.interval + 4 * schedule.conditions.latency)
    let groups = world.remainingGroups
    while world.now < deadline {
      run(until: world.now + schedule.interval)
      guard checker.violations.isEmpty else { return }
      if isAgreed(groups) { return }
      show("healing")
    }
    checker.reportOutside(
      "\(patience) rounds after the links healed, the replicas don't agree", at: world.now)
  }

  /// Whether all replicas that can reach each other have seen the same events.
  private func isAgreed(_ groups: [[Int]]) -> Bool {
    groups.allSatisfy { places in
      let value = world.nodes[places[0]].value
      let version = value.version
      let isAgreed = places.allSatisfy {
        world.nodes[$0].value.version == version && !world.nodes[$0].hasPendingEdits
      }
      // If names are used in two places, equal versions may still have different contents.
      guard isAgreed, schedule.settings.hasForks else { return isAgreed }
      let digest = value.digest
      return places.allSatisfy { world.nodes[$0].value.digest == digest }
    }
  }

  private func outcome() -> WorldOutcome {
    var outcome = WorldOutcome()
    outcome.counts = world.counts
    outcome.violations = checker.violations
    outcome.time = world.now
    outcome.checks = checker.checks
    outcome.checkingMicroseconds = checker.microseconds
    outcome.edits = checker.editCount
    for node in world.nodes {
      outcome.deltas += node.tally.delivered
      outcome.applied += node.tally.applied
      outcome.gaps += node.tally.gaps
      outcome.counts.readBacks += node.tally.readBacks
      outcome.counts.disks += node.diskTally
    }
    let places = world.nodes.indices.filter { !world.hasLeft($0) }
    outcome.remaining = places.count
    if let first = places.first {
      outcome.digest = world.nodes[first].traceDigest ?? ""
      outcome.summary = world.nodes[first].value.summary
    }
    return outcome
  }
}

extension WorldRun {
  /// Reports the progress of the run.
  func show(_ headline: @autoclosure () -> String) {
    progress? {
      let all = Self.events(of: checker.oracle.version)
      return SimulationProgress(
        headline: headline(), rows: world.nodes.indices.map { row(of: $0, of: all) },
        faults: world.counts.faultsInWords)
    }
  }

  /// The share of all events that a replica has seen.
  ///
  /// The checker ensures that equal versions have equal states; comparing digests would
  /// take too long.
  private func row(of place: Int, of all: UInt64) -> SimulationProgress.Row {
    let version = world.nodes[place].value.version
    let seen = Self.events(of: version)
    return SimulationProgress.Row(
      share: all == 0 ? 1 : Double(seen) / Double(all), done: Int(clamping: seen).grouped,
      bytes: 0, digest: String(version.hashValue, radix: 16), note: note(on: place))
  }

  private func note(on place: Int) -> String {
    if world.hasLeft(place) { return "left" }
    if world.isPaused(place) { return "stopped" }
    return world.isUp(place) ? "" : "down"
  }

  private static func events(of version: VersionVector) -> UInt64 {
    version.reduce(0) { $0 + $1.counter }
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
