import CRDTKit

/// A replica of a ``World`` whose deltas travel as values, each for itself: the
/// classic delta-CRDT, with an inbox for what comes over a gap, and versions that
/// are compared now and then.
struct DeltaNode<Value: WorldValue>: ReplicaNode {
  typealias Context = WorldContext<Message>

  /// What goes from one to another.
  enum Message: WorldMessage {
    case delta(TableDelta<Value>)
    /// What the sender has seen; whether it wants to be told what the receiver has.
    case version(VersionVector, isQuestion: Bool)
  }

  let place: Int
  private(set) var replica: ReplicaID
  private(set) var value = Value()
  private(set) var restores = 0
  var log: [RecordedEdit] = []
  var failures: [String] = []

  private(set) var tally = DeltaTally()

  /// A delta that came over a gap, and an event that must come before it.
  private struct Waiting {
    var delta: TableDelta<Value>
    var replica: ReplicaID
    var counter: UInt64
  }

  private var inbox: [Waiting] = []
  /// The moment until which the answer of a neighbour may be under way.
  private var askedUntil: UInt64 = 0
  private var backup = Value()
  private var clock: HybridLogicalClock
  private let settings: NodeSettings
  /// Whether everybody is a neighbour, so that nothing need be passed on.
  private let isInMesh: Bool
  private var ticks = 0
  private var turn = 0

  init(place: Int, isInMesh: Bool, settings: NodeSettings) {
    self.place = place
    self.settings = settings
    self.isInMesh = isInMesh
    replica = ReplicaID(UInt64(place) + 1)
    clock = HybridLogicalClock(replica: replica)
    turn = place
  }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    let observed = value.version
    let stamp = clock.now(wallMilliseconds: context.wallMilliseconds)
    let (delta, changes) = value.change(number, among: settings.keys, at: stamp)
    guard !delta.isEmpty else { return }
    let counter = value.version[replica]
    for change in changes {
      log.append(
        RecordedEdit(
          replica: replica, counter: counter, observed: observed, change: change, stamp: stamp))
    }
    context.sendToAll(.delta(delta), events: changes.count)
  }

  mutating func tick(_ context: inout Context) {
    ticks += 1
    if settings.isMortal, ticks % 5 == 0 { backup = value }
    if settings.sabotage == .backwards, place == 0, ticks % 7 == 0 { value = backup }
    guard context.neighbourCount > 0 else { return }
    turn = (turn + 1) % context.neighbourCount
    context.send(.version(value.version, isQuestion: true), to: turn)
  }

  mutating func receive(_ message: Message, from neighbour: Int, _ context: inout Context) {
    if settings.sabotage == .deaf, place == 0 { return }
    switch message {
    case .delta(let delta):
      tally.delivered &+= 1
      take(delta, from: neighbour, &context)
      if !inbox.isEmpty, context.learned > 0 { retry(from: neighbour, &context) }
    case .version(let version, let isQuestion):
      let own = value.version
      if !version.contains(own) {
        context.send(.delta(value.delta(since: version)), to: neighbour)
      }
      if isQuestion, !own.contains(version) {
        context.send(.version(own, isQuestion: false), to: neighbour)
      }
    }
  }

  /// Takes a delta in, passes it on, or lets it wait for what it builds on.
  private mutating func take(
    _ delta: TableDelta<Value>, from neighbour: Int, _ context: inout Context
  ) {
    do throws(DeltaError) {
      guard try value.apply(delta) else { return }
      tally.applied &+= 1
      context.learned &+= 1
      if let stamp = Value.latestTimestamp(in: delta) {
        try? clock.receive(stamp, wallMilliseconds: context.wallMilliseconds)
      }
      if !isInMesh { context.sendToAll(.delta(delta), but: neighbour, events: 1) }
    } catch {
      guard case .gap(let missing) = error, let first = missing.entries.first else {
        failures.append("\(error)")
        return
      }
      tally.gaps &+= 1
      // What doesn't fit is asked for again: versions are compared now and then.
      if inbox.count < settings.inboxMax {
        inbox.append(Waiting(delta: delta, replica: first.replica, counter: first.counter))
      }
      ask(neighbour, &context)
    }
  }

  /// Asks the sender for all that is missing, unless an answer may be under way.
  private mutating func ask(_ neighbour: Int, _ context: inout Context) {
    guard context.now >= askedUntil else { return }
    askedUntil = context.now + settings.answerTime
    context.send(.version(value.version, isQuestion: false), to: neighbour)
  }

  /// Takes in what waits for something that has been seen by now.
  private mutating func retry(from neighbour: Int, _ context: inout Context) {
    while true {
      let version = value.version
      var ready: [TableDelta<Value>] = []
      inbox.removeAll { waiting in
        guard version[waiting.replica] >= waiting.counter else { return false }
        ready.append(waiting.delta)
        return true
      }
      let before = context.learned
      for delta in ready { take(delta, from: neighbour, &context) }
      if ready.isEmpty || context.learned == before { return }
    }
  }

  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    inbox = []
    switch kind {
    case .crash: break
    case .torn:
      var copy = value
      let stamp = clock.now(wallMilliseconds: WorldClock.beginning)
      _ = copy.change(draw, among: settings.keys, at: stamp)
    case .restore:
      restores += 1
      value = backup
      replica = ReplicaID(replica.rawValue + 1_000)
      clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
    }
    if settings.sabotage == .forgetful, place == 0, ticks > 5 { value = backup }
  }
}
