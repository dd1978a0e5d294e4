import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Toolkit

/// Judges a ``World`` of apps and their server, which is at index 0.
///
/// Whatever happens between them, the server must apply each change that a user was told is
/// safe, exactly once and in order; and when all is quiet, every app must have what the
/// server has.
struct OutboxJudge: WorldJudge {
  typealias Node = OutboxNode

  private let schedule: WorldSchedule
  private var oracle = OutboxOracle()
  private var titles: TitleOracle
  /// What users were told, to be asked about in the end.
  private var receipts: [(place: Int, receipt: Store.Receipt)] = []
  private var done: Set<Outbox.OperationID> = []
  private(set) var violations: [Violation] = []
  private var checks = 0
  /// How many of the server's effects were looked at.
  private var effectsSeen = 0
  private var generator: SeededGenerator

  init(_ schedule: WorldSchedule, _ server: OutboxServer) {
    self.schedule = schedule
    titles = TitleOracle(saysRecords: server.server.times == .ofRecords)
    generator = SeededGenerator(seed: schedule.seed, stream: 3 << 60)
  }

  mutating func observe(_ result: World<Node>.StepResult, in world: inout World<Node>) {
    observe(result.place, in: &world)
  }

  mutating func observeAction(in world: World<Node>) {}

  mutating func note(_ what: WorldAction, in world: inout World<Node>) {
    switch what {
    case .edit(let place, _):
      if schedule.settings.sabotage == .doubledCounters { tellOthers(of: place, in: &world) }
    case .crash(let place, _, _, _): observe(place, in: &world)
    default: break
    }
  }

  /// Lets the other apps take in what an app has, beside what the server tells them.
  private mutating func tellOthers(of place: Int, in world: inout World<Node>) {
    guard let document = world.nodes[place].app?.store?.document else { return }
    for other in places(in: world) where other != place {
      do throws(StoreError) {
        try world.nodes[other].app?.outbox?.takeIn(countsOf: document)
      } catch {
        report("what \(place) has can't be taken in: \(error)", other, in: world)
      }
    }
  }

  func heal(_ world: inout World<Node>) -> UInt64 {
    for place in world.nodes.indices { world.nodes[place].heal() }
    // An app whose answers were lost waits for the next one as long as it has learned to.
    let patience = places(in: world).compactMap { world.nodes[$0].app?.patience }.max() ?? 0
    return UInt64(150 + 30 * schedule.replicas + 2 * patience)
  }

  func isSettled(_ groups: [[Int]], in world: World<Node>) -> Bool {
    places(in: world).allSatisfy { isQuiet($0, in: world) }
  }

  mutating func reportUnsettled(after intervals: UInt64, in world: World<Node>) {
    for place in places(in: world) where !isQuiet(place, in: world) {
      let problem = difference(place, in: world) ?? "it still waits"
      report("\(intervals) rounds after the links healed, \(problem)", place, in: world)
    }
  }

  /// The apps that are still there.
  private func places(in world: World<Node>) -> [Int] {
    (1..<schedule.replicas).filter { !world.hasLeft($0) }
  }

  /// Whether an app has no pending operations, and equals the server.
  private func isQuiet(_ place: Int, in world: World<Node>) -> Bool {
    world.nodes[place].app?.outbox?.count == 0 && difference(place, in: world) == nil
  }

  /// The difference between an app and the server.
  private func difference(_ place: Int, in world: World<Node>) -> String? {
    guard let app = world.nodes[place].app, let server = world.nodes[0].server else { return nil }
    for name in OutboxNote.names(schedule.settings.keys) {
      let (here, there) = (app.fields(of: name), server.fields(of: name))
      guard here != there else { continue }
      return "\(name) is \(OutboxNote.text(here)) there, and \(OutboxNote.text(there)) at the"
        + " server"
    }
    return nil
  }
}

extension OutboxJudge {
  private mutating func report(_ problem: String, _ place: Int, in world: World<Node>) {
    violations.append(Violation(time: world.now, place: place, problem: problem))
  }

  /// Takes note of what a node has done, and judges it.
  private mutating func observe(_ place: Int, in world: inout World<Node>) {
    guard place > 0 else { return observeServer(in: &world) }
    guard let app = world.nodes[place].app else { return }
    for failure in app.failures { report(failure, place, in: world) }
    for promise in app.log {
      oracle.record(promise)
      if let receipt = promise.receipt { receipts.append((place, receipt)) }
      guard let title = promise.title else { continue }
      if let shown = promise.shown { titles.show(shown, of: promise.name, in: app.replica) }
      titles.write(
        title, of: promise.name, at: promise.milliseconds, by: promise.operations)
    }
    for operation in app.buried { oracle.bury(operation) }
    for loss in app.log.flatMap(\.losses) + app.lost {
      oracle.drop(loss.operation.id)
      if let problem = titles.lose(loss.operation, to: loss.shown) {
        report(problem, place, in: world)
      }
    }
    for operation in app.settled { oracle.drop(operation) }
    world.nodes[place].app?.forgetNews()
    if !app.log.isEmpty || generator.happens(schedule.sampling / 4) { checkQueue(place, in: world) }
  }

  /// What the server has yet to do must wait in the app, or say that it failed.
  private mutating func checkQueue(_ place: Int, in world: World<Node>) {
    guard let app = world.nodes[place].app, let outbox = app.outbox else { return }
    checks += 1
    guard let waiting = oracle.waiting[app.replica], !waiting.isEmpty else { return }
    let queued = Set(outbox.pending.map(\.id) + outbox.deadLetters.map(\.id))
    if let lost = waiting.subtracting(queued).min() {
      report("\(lost) is neither done, nor queued, nor a dead letter", place, in: world)
    }
  }

  private mutating func observeServer(in world: inout World<Node>) {
    guard let server = world.nodes[0].server else { return }
    for promise in server.log {
      oracle.record(promise)
      titles.touch(promise.name, at: promise.milliseconds)
      guard let title = promise.title else { continue }
      titles.tell(title, of: promise.name, at: promise.milliseconds)
    }
    if !server.log.isEmpty { world.nodes[0].server?.log = [] }
    let effects = server.server.effects
    while effectsSeen < effects.count {
      let effect = effects[effectsSeen]
      effectsSeen += 1
      checks += 1
      let dot = effect.id.dot
      done.insert(effect.id)
      if let problem = oracle.finish(effect) { report(problem, 0, in: world) }
      let time = server.times[effectsSeen - 1]
      if let problem = titles.finish(effect, at: time) { report(problem, 0, in: world) }
      guard let place = world.nodes.firstIndex(where: { $0.app?.replica == dot.replica }),
        let app = world.nodes[place].app
      else { continue }
      if app.durableVersion[dot.replica] < dot.counter {
        report("the server was told of \(effect.id), which is not durable", place, in: world)
      }
    }
  }

  /// Judges what all have come to.
  mutating func finish(_ groups: [[Int]], in world: World<Node>) {
    guard let server = world.nodes[0].server else { return }
    for place in places(in: world) { checkQueue(place, in: world) }
    for (place, receipt) in receipts where !world.hasLeft(place) {
      guard world.nodes[place].app?.claimsDelivery(of: receipt) == true,
        let id = receipt.operations.first(where: { !done.contains($0) }), isLasting(id)
      else { continue }
      report("\(id) is said to be delivered, and was never done", place, in: world)
    }
    // What an app that has left still had to send is nobody's fault.
    let absent = (1..<schedule.replicas).filter { world.hasLeft($0) }
    let names = absent.compactMap { world.nodes[$0].app?.replica }
    if names.contains(where: { oracle.waiting[$0]?.isEmpty == false }) { return }
    for key in 0..<schedule.settings.keys {
      let name = OutboxNote.lasting(key)
      if let problem = oracle.problem(of: name, server.fields(of: name)) {
        report(problem, 0, in: world)
      }
    }
  }

  /// Whether an operation is about a note that is never deleted.
  private func isLasting(_ id: Outbox.OperationID) -> Bool {
    (0..<schedule.settings.keys).contains { OutboxNote.lasting($0) == id.record.record }
  }

  func progressRows(of world: World<Node>) -> [SimulationProgress.Row] { [] }

  func complete(_ outcome: inout WorldOutcome, of world: World<Node>) {
    outcome.checks = checks
    outcome.edits = oracle.count
    for place in world.nodes.indices {
      guard let app = world.nodes[place].app else { continue }
      outcome.counts.disks += app.disk.tally
      outcome.counts.outboxes += app.tally
    }
    outcome.counts.outboxes.done = effectsSeen
    outcome.remaining = places(in: world).count + 1
    outcome.applied = effectsSeen
    guard let server = world.nodes[0].server else { return }
    let summary = server.summary
    outcome.digest = summary.digest
    outcome.summary = summary.text
  }
}
