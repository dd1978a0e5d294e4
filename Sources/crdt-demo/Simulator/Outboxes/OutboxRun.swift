import CRDTKit
import CRDTStore
import Toolkit

/// A running schedule of apps and their server.
///
/// The server is at place 0. Whatever happens between them, it must do each change that
/// a user was told is safe, exactly once and in order; and when all is quiet, every app
/// must have what the server has.
struct OutboxRun {
  private let schedule: WorldSchedule
  private var world: World<OutboxNode>
  private var oracle = OutboxOracle()
  private var titles: TitleOracle
  /// What users were told, to be asked about in the end.
  private var receipts: [(place: Int, receipt: Store.Receipt)] = []
  private var done: Set<Outbox.OperationID> = []
  private var violations: [Violation] = []
  private var checks = 0
  /// How many of the server's effects were looked at.
  private var effectsSeen = 0
  private var generator: SplitMix64
  private let progress: ProgressSink?

  init(_ schedule: WorldSchedule, _ sink: TraceSink?, _ progress: ProgressSink?) {
    self.schedule = schedule
    self.progress = progress
    let server = OutboxServer(settings: schedule.settings)
    titles = TitleOracle(saysRecords: server.server.times == .ofRecords)
    var nodes = [OutboxNode(server: server)]
    for place in 1..<schedule.replicas {
      var app = OutboxApp(place: place, settings: schedule.settings, seed: schedule.seed)
      app.begin(with: server.server)
      nodes.append(OutboxNode(app: app))
    }
    world = World(
      nodes: nodes, neighbours: Topology.star.neighbours(among: schedule.replicas),
      conditions: schedule.conditions, seed: schedule.seed)
    world.sink = sink
    generator = SplitMix64(seed: schedule.seed, stream: 3 << 60)
  }

  mutating func play() -> WorldOutcome {
    if world.sink != nil { world.traceBegin(schedule.title, command: schedule.command) }
    world.prepare(for: schedule)
    for (number, step) in schedule.steps.enumerated() {
      run(until: step.time)
      guard violations.isEmpty else { break }
      perform(step)
      show("\(number.grouped) of \(schedule.steps.count.grouped) steps")
    }
    if violations.isEmpty { settle() }
    if violations.isEmpty { finish() }
    world.traceEnd(violations)
    return outcome()
  }

  private mutating func perform(_ step: WorldSchedule.Step) {
    switch step.what {
    case .edit(let place, let number):
      if let stepResult = world.editNow(place, number: number) { observe(stepResult.place) }
      if schedule.settings.sabotage == .doubledCounters { tellOthers(of: place) }
    case .crash(let place, _, _, _):
      guard world.isUp(place) else { return }
      world.perform(step)
      observe(place)
    default: world.perform(step)
    }
  }

  /// Lets the other apps take in what an app has, beside what the server tells them.
  private mutating func tellOthers(of place: Int) {
    guard let document = world.nodes[place].app?.store?.document else { return }
    for other in places where other != place {
      do throws(StoreError) {
        try world.nodes[other].app?.outbox?.takeIn(countsOf: document)
      } catch {
        report("what \(place) has can't be taken in: \(error)", other)
      }
    }
  }

  private mutating func run(until time: UInt64) {
    while let next = world.nextTime, next < time, violations.isEmpty {
      if let stepResult = world.step(), stepResult.place >= 0 { observe(stepResult.place) }
    }
    world.run(until: time)
  }

  private mutating func settle() {
    run(until: schedule.quietTime)
    guard violations.isEmpty else { return }
    world.heal()
    for place in world.nodes.indices { world.nodes[place].heal() }
    // An app whose answers were lost waits for the next one as long as it has learned to.
    let patience = places.compactMap { world.nodes[$0].app?.patience }.max() ?? 0
    let rounds = UInt64(150 + 30 * schedule.replicas + 2 * patience)
    let deadline =
      world.now + rounds * (schedule.interval + 4 * schedule.conditions.latency)
    while world.now < deadline {
      run(until: world.now + schedule.interval)
      if !violations.isEmpty || places.allSatisfy({ isQuiet($0) }) { return }
      show("healing")
    }
    for place in places where !isQuiet(place) {
      report(
        "\(rounds) rounds after the links healed, \(difference(place) ?? "it still waits")",
        place)
    }
  }

  /// The apps that are still there.
  private var places: [Int] { (1..<schedule.replicas).filter { !world.hasLeft($0) } }

  /// Whether an app has no pending operations, and equals the server.
  private func isQuiet(_ place: Int) -> Bool {
    world.nodes[place].app?.outbox?.count == 0 && difference(place) == nil
  }

  /// The difference between an app and the server.
  private func difference(_ place: Int) -> String? {
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

extension OutboxRun {
  private mutating func report(_ problem: String, _ place: Int) {
    violations.append(Violation(time: world.now, place: place, problem: problem))
  }

  /// Takes note of what a node has done, and judges it.
  private mutating func observe(_ place: Int) {
    guard place > 0 else { return observeServer() }
    guard let app = world.nodes[place].app else { return }
    for failure in app.failures { report(failure, place) }
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
      if let problem = titles.lose(loss.operation, to: loss.shown) { report(problem, place) }
    }
    for operation in app.settled { oracle.drop(operation) }
    world.nodes[place].app?.forgetNews()
    if !app.log.isEmpty || generator.happens(schedule.sampling / 4) { checkQueue(place) }
  }

  /// What the server has yet to do must wait in the app, or say that it failed.
  private mutating func checkQueue(_ place: Int) {
    guard let app = world.nodes[place].app, let outbox = app.outbox else { return }
    checks += 1
    guard let waiting = oracle.waiting[app.replica], !waiting.isEmpty else { return }
    let queued = Set(outbox.pending.map(\.id) + outbox.deadLetters.map(\.id))
    if let lost = waiting.subtracting(queued).min() {
      report("\(lost) is neither done, nor queued, nor a dead letter", place)
    }
  }

  private mutating func observeServer() {
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
      if let problem = oracle.finish(effect) { report(problem, 0) }
      let time = server.times[effectsSeen - 1]
      if let problem = titles.finish(effect, at: time) { report(problem, 0) }
      guard let place = world.nodes.firstIndex(where: { $0.app?.replica == dot.replica }),
        let app = world.nodes[place].app
      else { continue }
      if app.durableVersion[dot.replica] < dot.counter {
        report("the server was told of \(effect.id), which is not durable", place)
      }
    }
  }

  /// Judges what all have come to.
  private mutating func finish() {
    guard let server = world.nodes[0].server else { return }
    for place in places { checkQueue(place) }
    for (place, receipt) in receipts where !world.hasLeft(place) {
      guard world.nodes[place].app?.claimsDelivery(of: receipt) == true,
        let id = receipt.operations.first(where: { !done.contains($0) }), isLasting(id)
      else { continue }
      report("\(id) is said to be delivered, and was never done", place)
    }
    // What an app that has left still had to send is nobody's fault.
    let absent = (1..<schedule.replicas).filter { world.hasLeft($0) }
    let names = absent.compactMap { world.nodes[$0].app?.replica }
    if names.contains(where: { oracle.waiting[$0]?.isEmpty == false }) { return }
    for key in 0..<schedule.settings.keys {
      let name = OutboxNote.lasting(key)
      if let problem = oracle.problem(of: name, server.fields(of: name)) { report(problem, 0) }
    }
  }

  /// Whether an operation is about a note that is never deleted.
  private func isLasting(_ id: Outbox.OperationID) -> Bool {
    (0..<schedule.settings.keys).contains { OutboxNote.lasting($0) == id.record.record }
  }

  private func show(_ headline: @autoclosure () -> String) {
    progress? {
      SimulationProgress(headline: headline(), rows: [], faults: world.counts.faultsInWords)
    }
  }

  private func outcome() -> WorldOutcome {
    var outcome = WorldOutcome()
    outcome.counts = world.counts
    outcome.violations = violations
    outcome.time = world.now
    outcome.checks = checks
    outcome.edits = oracle.count
    for place in world.nodes.indices {
      guard let app = world.nodes[place].app else { continue }
      outcome.counts.disks += app.disk.tally
      outcome.counts.outboxes += app.tally
    }
    outcome.counts.outboxes.done = effectsSeen
    outcome.remaining = places.count + 1
    outcome.applied = effectsSeen
    guard let server = world.nodes[0].server else { return outcome }
    let summary = server.summary
    outcome.digest = summary.digest
    outcome.summary = summary.text
    return outcome
  }
}
