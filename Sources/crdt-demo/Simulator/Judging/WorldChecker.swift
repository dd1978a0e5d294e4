import CRDTKit
import CRDTStoreTesting
import Toolkit

/// Checks a ``World`` while it runs, and at the end.
struct WorldChecker<Node: ReplicaNode>: WorldJudge {
  /// The known state of the replica at an index.
  private struct Known {
    var version = VersionVector()
    var restores = 0
  }

  private(set) var oracle = Oracle(rule: Node.Value.rule)
  private(set) var violations: [Violation] = []
  /// The number of checked states.
  private(set) var checks = 0
  /// The processor time of the checks in microseconds.
  private(set) var microseconds = 0
  private var known: [Known]
  /// The digest of each known version.
  private var digests: [VersionVector: UInt64] = [:]
  /// The number of durable events of each replica.
  private var acknowledged: [ReplicaID: UInt64] = [:]
  private var generator: SeededGenerator
  /// The probability that a changed state is checked.
  private let sampling: Double
  /// Judges in its place where one name may be used in two places.
  private var forks: ForkChecker<Node>?
  /// Where the replicas are that have written.
  private var places: [ReplicaID: Int] = [:]
  /// Draws what is judged besides, so that the rest is drawn as without.
  private var extra: SeededGenerator

  /// The largest world in which all knowledge of replicas about each other is checked.
  private static var promisingMax: Int { 16 }

  /// The greatest number of stored digests.
  private static var digestsMax: Int { 10_000 }

  init(_ schedule: WorldSchedule) {
    forks = schedule.settings.hasForks ? ForkChecker(seed: schedule.seed) : nil
    extra = SeededGenerator(seed: schedule.seed, stream: 4 << 60)
    known = Array(repeating: Known(), count: schedule.replicas)
    sampling = schedule.sampling
    generator = SeededGenerator(seed: schedule.seed, stream: 3 << 60)
  }

  /// Records the result of a step, and checks a sample of the states.
  mutating func observe(_ stepResult: World<Node>.StepResult, in world: inout World<Node>) {
    let place = stepResult.place
    guard place >= 0 else { return }
    if !world.nodes[place].failures.isEmpty {
      for failure in world.nodes[place].failures { report(failure, place, world.now) }
      world.nodes[place].failures = []
    }
    let hasEdited = !world.nodes[place].log.isEmpty
    take(place, in: &world)
    guard stepResult.learned > 0 || hasEdited, sampling > 0, generator.happens(sampling)
    else { return }
    check(place, in: world)
  }

  /// Records the edits that a replica has made durable.
  private mutating func take(_ place: Int, in world: inout World<Node>) {
    guard !world.nodes[place].log.isEmpty else { return }
    for edit in world.nodes[place].log {
      if forks != nil {
        checkForks({ $0.record(edit) }, at: world.now)
        continue
      }
      places[edit.replica] = place
      if edit.counter <= acknowledged[edit.replica, default: 0], edit.change.key >= 0 {
        report("event \(edit.counter) of \(edit.replica) was made twice", place, world.now)
      }
      if let problem = oracle.record(edit) { report(problem, place, world.now) }
      acknowledged[edit.replica] = edit.counter
    }
    world.nodes[place].log.removeAll(keepingCapacity: true)
  }

  private mutating func report(_ problem: String, _ place: Int?, _ time: UInt64) {
    violations.append(Violation(time: time, place: place, problem: problem))
  }

  /// Checks the state of a replica.
  mutating func check(_ place: Int, in world: World<Node>) {
    let start = Syscalls.processorMicroseconds
    defer { microseconds += Int(Syscalls.processorMicroseconds - start) }
    checks += 1
    let node = world.nodes[place]
    if forks != nil { return checkForks({ $0.check(place, in: world) }, at: world.now) }
    let version = node.value.version
    checkVersion(place, version, node, world.now)
    // An edit that a crash may lose can't be checked yet: another edit may get its name.
    guard !node.hasPendingEdits else { return }
    checkKnowledge(version, place, world.now)
    checkDigest(node.value, version, place, world.now)
    if generator.below(2) == 0 { checkReading(node.value, version, place, world.now) }
    if generator.below(12) == 0 { checkLaws(place, world) }
    if extra.below(8) == 0, let problem = node.value.problemOfCopy() {
      report(problem, place, world.now)
    }
  }

  /// Checks that seen events stay seen.
  private mutating func checkVersion(
    _ place: Int, _ version: VersionVector, _ node: Node, _ time: UInt64
  ) {
    forgiveRestore(place, node)
    if !version.contains(known[place].version) {
      report(
        "the version went back from \(known[place].version) to \(version)", place, time)
    }
    known[place].version = node.hasPendingEdits ? node.durableVersion : version
  }

  /// Checks that nobody knows an edit that isn't durable at its origin.
  private mutating func checkKnowledge(_ version: VersionVector, _ place: Int, _ time: UInt64) {
    guard !oracle.version.contains(version) else { return }
    for entry in version where entry.counter > oracle.version[entry.replica] {
      report(
        "it knows of event \(entry.counter) of \(entry.replica), which is not durable there",
        place, time)
    }
  }

  /// A replica that restarted from an older copy may have lost edits that nobody else has.
  private mutating func forgiveRestore(_ place: Int, _ node: Node) {
    guard node.restores != known[place].restores else { return }
    known[place] = Known(restores: node.restores)
    let version = node.value.version
    for (replica, counter) in acknowledged
    where places[replica] == place && replica != node.replica {
      acknowledged[replica] = min(counter, version[replica])
    }
  }

  private mutating func checkDigest(
    _ value: Node.Value, _ version: VersionVector, _ place: Int, _ time: UInt64
  ) {
    let digest = value.digest
    if let other = digests[version] {
      guard other != digest else { return }
      report("another replica of the same version \(version) has other bytes", place, time)
    } else if digests.count < Self.digestsMax {
      digests[version] = digest
    }
  }

  private mutating func checkReading(
    _ value: Node.Value, _ version: VersionVector, _ place: Int, _ time: UInt64
  ) {
    var keys = oracle.keys
    if keys.count > 24 { keys = (0..<24).map { _ in keys[generator.below(keys.count)] } }
    for key in keys { checkKey(key, value, version, place, time) }
  }

  private mutating func checkKey(
    _ key: Int, _ value: Node.Value, _ version: VersionVector, _ place: Int, _ time: UInt64
  ) {
    let expected = oracle.reading(of: key, at: version)
    let found = value.reading(of: key)
    guard found != expected else { return }
    let what =
      switch (expected.isEmpty, found.isEmpty) {
      case (true, false): "is back, or was never added"
      case (false, true):
        oracle.hasConcurrentRemoval(key, at: version)
          ? "has lost against a concurrent removal" : "is missing"
      default: "is wrong"
      }
    let words = [found, expected].map { Node.Value.words(of: $0) }
    report("key \(key) \(what): it reads \(words[0]), not \(words[1])", place, time)
  }

  /// What others were told that a replica has must be durable there.
  ///
  /// Of one that was started from an older copy they know better than itself.
  mutating func observeAction(in world: World<Node>) {
    guard forks == nil, world.nodes.count <= Self.promisingMax else { return }
    for place in world.nodes.indices {
      for (neighbour, other) in world.neighbours(of: place).enumerated()
      where world.nodes[other].restores == 0 {
        guard let promise = world.nodes[place].promise(of: neighbour) else { return }
        let durable = world.nodes[other].durableVersion
        if !durable.contains(promise) {
          report(
            "replica \(place + 1) was told that \(promise) is safe here, where \(durable) is",
            other, world.now)
        }
      }
    }
  }

  /// Checks merges of the state with two others, in every order.
  private mutating func checkLaws(_ place: Int, _ world: World<Node>) {
    let one = drawn(world.nodes[place].value)
    let other = drawn(world.nodes[generator.below(world.nodes.count)].value)
    let third = drawn(world.nodes[generator.below(world.nodes.count)].value)
    let problems = one.problemsOfMerging(other, third) { (copy) throws(DeltaError) in
      try copy.apply(other.delta(since: one.version))
    }
    for problem in problems { report(problem, place, world.now) }
  }
}

extension WorldChecker {
  /// A value, or its decoded copy.
  private mutating func drawn(_ value: Node.Value) -> Node.Value {
    guard extra.below(2) == 0 else { return value }
    return (try? Node.Value(decoding: value.encoded())) ?? value
  }

  private mutating func checkForks(
    _ judge: (inout ForkChecker<Node>) -> Void, at time: UInt64
  ) {
    guard var checker = forks.take() else { return }
    judge(&checker)
    for problem in checker.takeProblems() { report(problem.words, problem.place, time) }
    forks = checker
  }

  /// Records what a step has done to the states of nodes.
  mutating func note(_ what: WorldAction, in world: inout World<Node>) {
    if case .crash(let place, _, _, _) = what { take(place, in: &world) }
    guard forks != nil else { return }
    switch what {
    case .crash(let place, let kind, _, _):
      if kind == .inPlace { forks?.noteShared(world.nodes[place].replica) }
      forks?.noteLosses(in: world)
    case .copy(let place, _, _): forks?.noteShared(world.nodes[place].replica)
    case .leave: forks?.noteLosses(in: world)
    default: break
    }
  }

  func heal(_ world: inout World<Node>) -> UInt64 { UInt64(200 + 40 * world.nodes.count) }

  /// Whether all replicas that can reach each other have seen the same events.
  func isSettled(_ groups: [[Int]], in world: World<Node>) -> Bool {
    groups.allSatisfy { places in
      let value = world.nodes[places[0]].value
      let version = value.version
      let isAgreed = places.allSatisfy {
        world.nodes[$0].value.version == version && !world.nodes[$0].hasPendingEdits
      }
      // If names are used in two places, equal versions may still have different contents.
      guard isAgreed, forks != nil else { return isAgreed }
      let digest = value.digest
      return places.allSatisfy { world.nodes[$0].value.digest == digest }
    }
  }

  mutating func reportUnsettled(after intervals: UInt64, in world: World<Node>) {
    report(
      "\(intervals) rounds after the links healed, the replicas don't agree", nil, world.now)
  }

  mutating func finish(_ groups: [[Int]], in world: World<Node>) {
    for group in groups { finish(group, areAll: groups.count == 1, in: world) }
  }

  func complete(_ outcome: inout WorldOutcome, of world: World<Node>) {
    outcome.checks = checks
    outcome.checkingMicroseconds = microseconds
    outcome.edits = forks?.oracle.edits.count ?? oracle.count
    for node in world.nodes {
      outcome.deltas += node.tally.delivered
      outcome.applied += node.tally.applied
      outcome.gaps += node.tally.gaps
      outcome.counts.readBacks += node.tally.readBacks
      outcome.counts.disks += node.diskTally
    }
    let places = world.nodes.indices.filter { !world.hasLeft($0) }
    outcome.remaining = places.count
    guard let first = places.first else { return }
    outcome.digest = world.nodes[first].traceDigest ?? ""
    outcome.summary = world.nodes[first].value.summary
  }

  /// The share of all events that each replica has seen.
  ///
  /// Equal versions are shown as equal states, which the checker ensures: comparing digests
  /// would take too long.
  func progressRows(of world: World<Node>) -> [SimulationProgress.Row] {
    let all = oracle.version.eventCount
    return world.nodes.indices.map { place in
      let version = world.nodes[place].value.version
      let seen = version.eventCount
      let note =
        world.hasLeft(place)
        ? "left" : world.isPaused(place) ? "stopped" : world.isUp(place) ? "" : "down"
      return SimulationProgress.Row(
        share: all == 0 ? 1 : Double(seen) / Double(all), done: Int(clamping: seen).grouped,
        bytes: 0, digest: String(version.hashValue, radix: 16), note: note)
    }
  }

  /// Checks the final states of replicas that can all reach each other.
  private mutating func finish(_ group: [Int], areAll: Bool, in world: World<Node>) {
    if forks != nil {
      return checkForks({ $0.finish(group, areAll: areAll, in: world) }, at: world.now)
    }
    for place in group {
      let node = world.nodes[place]
      checkVersion(place, node.value.version, node, world.now)
    }
    guard let first = group.first else { return }
    let (value, version) = (world.nodes[first].value, world.nodes[first].value.version)
    checkDigest(value, version, first, world.now)
    let digest = value.digest
    for place in group.dropFirst() where world.nodes[place].value.digest != digest {
      report("does not agree with replica \(first + 1) in the end", place, world.now)
    }
    for (replica, counter) in acknowledged.sorted(by: { $0.key < $1.key })
    where version[replica] < counter {
      guard let place = places[replica], group.contains(place) else { continue }
      report(
        "\(counter - version[replica]) durable edits of \(replica) are lost", place, world.now)
    }
    let isSlow = oracle.count > 20_000 && version != oracle.version
    for key in oracle.keys.prefix(isSlow ? 50 : .max) {
      checkKey(key, value, version, first, world.now)
    }
  }
}

/// A violated invariant in a ``World``.
struct Violation: Equatable, Sendable, CustomStringConvertible {
  /// Microseconds of virtual time.
  var time: UInt64
  /// The replica's index, from 0, if it is about one.
  var place: Int?
  var problem: String

  var description: String {
    "at \((Double(time) / 1e6).text(decimals: 6)) s\(place.map { ", replica \($0 + 1)" } ?? ""): \(problem)"
  }
}
