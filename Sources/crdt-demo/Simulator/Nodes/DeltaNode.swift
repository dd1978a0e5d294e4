import CRDTKit
import CRDTStoreTesting

/// A replica of a ``World`` that sends independent deltas.
///
/// This is the classic delta-CRDT, with an inbox for deltas that arrive over a gap, and
/// with versions that are compared periodically.
struct DeltaNode<Value: WorldValue>: NamedNode {
  typealias Context = WorldContext<Message>

  /// A message between nodes.
  enum Message: WorldMessage {
    case delta(TableDelta<Value>, Shadow)
    /// What the sender has seen; whether it wants to be told what the receiver has.
    case version(VersionVector, isQuestion: Bool)
    /// A message about one name that is used in two places.
    case mending(Mending)
  }

  let place: Int
  var value = Value()
  var restores = 0
  var log: [RecordedEdit] = []
  var failures: [String] = []

  var tally = DeltaTally()

  /// A delta that arrived over a gap, and an event that must precede it.
  struct Waiting {
    var delta: TableDelta<Value>
    var shadow: Shadow
    var replica: ReplicaID
    var counter: UInt64
  }

  var inbox: [Waiting] = []
  /// The moment until which the answer of a neighbour may be under way.
  private var askedUntil: UInt64 = 0
  var backup = Value()
  var clock: HybridLogicalClock
  var name: NodeName
  /// The edits that the value has seen, and the backup.
  var shadow = Shadow()
  var backupShadow = Shadow()
  /// The number of events that it knows under its name.
  var ownCount: UInt64 = 0
  var readBack: ReadBack
  /// For what is done where names are used in two places.
  var generator: SeededGenerator
  let settings: NodeSettings
  /// Whether all replicas are neighbours, so that nothing needs forwarding.
  private let isInMesh: Bool
  var ticks = 0
  private var turn = 0

  init(place: Int, isInMesh: Bool, settings: NodeSettings, seed: UInt64) {
    self.place = place
    self.settings = settings
    self.isInMesh = isInMesh
    name = NodeName(of: place, seed: seed)
    clock = HybridLogicalClock(replica: name.replica)
    readBack = ReadBack(of: place, settings: settings, seed: seed)
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 56)
    turn = place
    if settings.hasForks { open() }
  }

  static var seesAll: Bool { true }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    readBackIfDue()
    // What was read tells the elements of texts and lists apart; all else is known by what was
    // seen.
    let before = settings.hasForks && Value.rule.isOfPositions ? value : nil
    let observed = value.version
    let stamp = clock.now(wallMilliseconds: context.wallMilliseconds)
    let (delta, changes) = value.change(number, among: settings.keys, at: stamp)
    guard !delta.isEmpty else { return }
    record(
      changes, at: stamp, after: observed, context, seen: settings.hasForks ? shadow : nil,
      before: before)
    if settings.hasForks {
      ownCount = value.version[replica]
      shadow.insert(context.serial)
      name.noteEvent()
    }
    context.sendToAll(.delta(delta, shadow), events: changes.count)
  }

  mutating func tick(_ context: inout Context) {
    readBackIfDue()
    ticks += 1
    if settings.isMortal, ticks % settings.backupTicks == 0 {
      (backup, backupShadow) = (value, shadow)
    }
    if settings.sabotage == .backwards, place == 0, ticks % 7 == 0 { value = backup }
    guard context.neighbourCount > 0 else { return }
    turn = (turn + 1) % context.neighbourCount
    context.send(.version(value.version, isQuestion: true), to: turn)
  }

  mutating func receive(_ message: Message, from neighbour: Int, _ context: inout Context) {
    if settings.sabotage == .deaf, place == 0 { return }
    readBackIfDue()
    switch message {
    case .delta(let delta, let shadow):
      tally.delivered &+= 1
      take(delta, shadow, from: neighbour, &context)
      if !inbox.isEmpty, context.learned > 0 { retry(from: neighbour, &context) }
    case .version(let version, let isQuestion):
      let own = value.version
      if settings.hasForks, isQuestion, version == own { return compare(neighbour, &context) }
      if !version.contains(own) {
        context.send(.delta(value.delta(since: version), shadow), to: neighbour)
      }
      if isQuestion, !own.contains(version) {
        context.send(.version(own, isQuestion: false), to: neighbour)
      }
    case .mending(let message): receive(message, from: neighbour, &context)
    }
  }

  /// Applies and forwards a delta, or keeps it until its predecessors arrive.
  mutating func take(
    _ delta: TableDelta<Value>, _ shadow: Shadow, from neighbour: Int, _ context: inout Context
  ) {
    do throws(DeltaError) {
      let isNew = try value.apply(delta)
      if settings.hasForks { noteTaken(shadow) }
      guard isNew else { return }
      noteLearned(Value.latestTimestamp(in: delta), &context)
      if !isInMesh { context.sendToAll(.delta(delta, shadow), but: neighbour, events: 1) }
    } catch {
      if case .fork(let replica) = error, settings.hasForks {
        return meetFork(of: replica, by: delta, shadow, from: neighbour, &context)
      }
      guard case .gap(let missing) = error, let first = missing.entries.first else {
        failures.append("\(error)")
        return
      }
      tally.gaps &+= 1
      // What doesn't fit is asked for again: versions are compared now and then.
      if inbox.count < settings.inboxMax {
        inbox.append(
          Waiting(delta: delta, shadow: shadow, replica: first.replica, counter: first.counter))
      }
      ask(neighbour, &context)
    }
  }

  /// Counts the new events that were applied.
  mutating func noteLearned(_ stamp: HybridTimestamp?, _ context: inout Context) {
    tally.applied &+= 1
    context.learned &+= 1
    if let stamp { try? clock.receive(stamp, wallMilliseconds: context.wallMilliseconds) }
  }

  /// Asks the sender for all missing events, unless an answer may be in flight.
  private mutating func ask(_ neighbour: Int, _ context: inout Context) {
    guard context.now >= askedUntil else { return }
    askedUntil = context.now + settings.answerTime
    context.send(.version(value.version, isQuestion: false), to: neighbour)
  }

  /// Applies the waiting deltas whose predecessors have arrived.
  private mutating func retry(from neighbour: Int, _ context: inout Context) {
    while true {
      let version = value.version
      var ready: [Waiting] = []
      inbox.removeAll { waiting in
        guard version[waiting.replica] >= waiting.counter else { return false }
        ready.append(waiting)
        return true
      }
      let before = context.learned
      for waiting in ready { take(waiting.delta, waiting.shadow, from: neighbour, &context) }
      if ready.isEmpty || context.learned == before { return }
    }
  }
}

/// The numbers of deltas that a replica has received.
struct DeltaTally: Equatable, Sendable {
  var delivered = 0
  /// Those that brought something new.
  var applied = 0
  /// Those that came over a gap.
  var gaps = 0
  /// How often a value was decoded again from bytes.
  var readBacks = 0
}
