import CRDTKit
import CRDTStoreTesting

/// A replica of a ``World`` that exchanges changes by real sessions, over streams of bytes
/// that are cut at any place.
struct StreamNode<Exchange: StreamExchange>: NamedNode {
  typealias Value = Exchange.Value
  typealias Message = [UInt8]
  typealias Context = WorldContext<Message>
  typealias Action = StreamAction<Value>

  /// The stream to a neighbour.
  private struct Stream {
    /// Ticks since the last receipt.
    var silence = 0
    /// The number of ticks for which the stream stalls, and the messages received meanwhile.
    var stall = 0
    var held: [[UInt8]] = []
  }

  let place: Int
  var name: NodeName
  var value = Value()
  var restores = 0
  var tally = DeltaTally()
  var log: [RecordedEdit] = []
  var failures: [String] = []

  /// The state that a crash leaves, if crashes occur.
  private var durable = Value()
  /// The older copy from which it may restart.
  private var backup = Value()
  /// The edits that were made in its own past, and in the backup's.
  var shadow = Shadow()
  private var backupShadow = Shadow()
  var clock: HybridLogicalClock
  var readBack: ReadBack
  private var generator: SeededGenerator
  let settings: NodeSettings
  private var exchange: Exchange
  private var streams: [Stream]
  /// The requests of the exchange while nothing could be sent.
  private var pending: [Action] = []
  private var ticks = 0

  init(place: Int, neighbours: Int, settings: NodeSettings, seed: UInt64) {
    self.place = place
    self.settings = settings
    name = NodeName(of: place, seed: seed)
    clock = HybridLogicalClock(replica: name.replica)
    readBack = ReadBack(of: place, settings: settings, seed: seed)
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 62)
    exchange = Exchange.begun(by: name.replica, limits: settings.limits)
    streams = Array(repeating: Stream(), count: neighbours)
    if settings.hasForks { value = name.opening(value) }
  }

  var durableVersion: VersionVector { settings.isMortal ? durable.version : value.version }

  func promise(of neighbour: Int) -> VersionVector? { exchange.peerVersion(of: neighbour) }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    readBackIfDue()
    let before = settings.hasForks ? value : nil
    let observed = value.version
    let stamp = clock.now(wallMilliseconds: context.wallMilliseconds)
    let changes = value.change(number, among: settings.keys, at: stamp).changes
    guard value.version[replica] > observed[replica] else { return }
    // Durable before any session may send it.
    if settings.isMortal { durable = value }
    record(changes, at: stamp, after: observed, context, before: before)
    if settings.hasForks {
      shadow.insert(context.serial)
      name.noteEvent()
    }
    exchange.noteEdit()
    // Some edits of a group go at once.
    guard Exchange.isGroup, generator.below(4) == 0, performPending(&context) else { return }
    _ = perform(exchange.flush(value, to: 0), &context)
  }

  mutating func tick(_ context: inout Context) {
    ticks += 1
    readBackIfDue()
    if settings.isMortal, ticks % settings.backupTicks == 0 {
      (backup, backupShadow) = (durable, shadow)
    }
    if settings.sabotage == .backwards, place == 0, ticks % 7 == 0 { value = backup }
    guard performPending(&context) else { return }
    for neighbour in streams.indices {
      guard resume(neighbour, &context) else { return }
    }
    if Exchange.isGroup {
      guard perform(exchange.flush(value, to: 0), &context) else { return }
      for neighbour in exchange.connectedPeers { watch(neighbour, &context) }
    } else {
      for neighbour in exchange.connectedPeers {
        guard perform(exchange.flush(value, to: neighbour), &context) else { return }
        watch(neighbour, &context)
      }
    }
  }

  /// Disconnects from a neighbour that owes an answer and has been silent for too long: in a
  /// group later, as others may bring the answer.
  private mutating func watch(_ neighbour: Int, _ context: inout Context) {
    streams[neighbour].silence += 1
    guard streams[neighbour].silence > (Exchange.isGroup ? 8 : 1) * settings.patience else {
      return
    }
    streams[neighbour].silence = 0
    guard !exchange.isSynchronized(value, with: neighbour) else { return }
    pending += exchange.disconnect(neighbour)
    context.hangUp(neighbour)
  }

  mutating func receive(_ message: [UInt8], from neighbour: Int, _ context: inout Context) {
    if settings.sabotage == .deaf, place == 0 { return }
    readBackIfDue()
    guard performPending(&context) else { return }
    if Exchange.isGroup, settings.stall > 0, streams[neighbour].stall == 0,
      generator.happens(settings.stall)
    {
      streams[neighbour].stall = 1 + generator.below(8 * settings.patience)
    }
    guard streams[neighbour].stall == 0 else {
      streams[neighbour].held.append(message)
      return
    }
    _ = take(message, from: neighbour, &context)
  }

  /// Receives the held messages of a stream that has stalled for long enough.
  ///
  /// Returns `false` if the replica crashes meanwhile.
  private mutating func resume(_ neighbour: Int, _ context: inout Context) -> Bool {
    guard streams[neighbour].stall > 0 else { return true }
    streams[neighbour].stall -= 1
    guard streams[neighbour].stall == 0 else { return true }
    let held = streams[neighbour].held
    streams[neighbour].held = []
    return held.allSatisfy { take($0, from: neighbour, &context) }
  }

  private mutating func take(
    _ message: [UInt8], from neighbour: Int, _ context: inout Context
  ) -> Bool {
    streams[neighbour].silence = 0
    let wall = context.wallMilliseconds
    let actions = exchange.receive(message, from: neighbour, into: &value) { delta in
      guard let stamp = Value.latestTimestamp(in: delta) else { return }
      try clock.receive(stamp, wallMilliseconds: wall)
    }
    return perform(actions, &context)
  }

  mutating func connect(to neighbour: Int, _ context: inout Context) {
    streams[neighbour] = Stream()
    guard performPending(&context) else { return }
    _ = perform(exchange.connect(value, to: neighbour), &context)
  }

  mutating func disconnect(from neighbour: Int) {
    streams[neighbour] = Stream()
    pending.removeAll { if case .send(_, neighbour) = $0 { true } else { false } }
    pending += exchange.disconnect(neighbour)
  }
}

extension StreamNode {
  /// Performs the requests that were made while nothing could be sent.
  ///
  /// Returns `false` if the replica crashes meanwhile.
  private mutating func performPending(_ context: inout Context) -> Bool {
    let actions = pending
    pending = []
    return perform(actions, &context)
  }

  /// Performs the requests of the exchange.
  ///
  /// Returns `false` if the replica crashes meanwhile.
  private mutating func perform(_ actions: [Action], _ context: inout Context) -> Bool {
    guard !actions.isEmpty else { return true }
    let isDoomed = settings.death > 0 && generator.happens(settings.death)
    let survived = isDoomed ? generator.below(actions.count + 1) : actions.count
    var bytes: [Int: [UInt8]] = [:]
    var learned = 0
    var isRenamed = false
    for action in actions.prefix(survived) {
      switch action {
      case .send(let more, to: let neighbour): bytes[neighbour, default: []] += more
      case .learned(let delta, from: _):
        learned += 1
        guard settings.isMortal else { break }
        do { try durable.apply(mending: delta) } catch {
          failures.append("learned a delta that \(error)")
        }
      case .takeNewReplica where !settings.hasForks: failures.append("a new replica was asked for")
      case .takeNewReplica where Exchange.isGroup: isRenamed = true
      case .takeNewReplica:
        leaveName()
        exchange.continueAs(replica)
      case .close(let neighbour, let failure):
        if !failure.isDamage, !(settings.hasForks && failure.isOfFork) {
          failures.append("a session has failed: \(failure)")
        }
        context.hangUp(neighbour)
      }
    }
    for (neighbour, bytes) in bytes.sorted(by: { $0.key < $1.key }) {
      context.send(bytes, to: neighbour, inPiecesOf: settings.pieceMax, using: &generator)
    }
    tally.delivered += learned
    tally.applied += learned
    context.learned += learned
    if isDoomed {
      restart()
      context.dies = true
      return false
    }
    if isRenamed {
      leaveName()
      for neighbour in streams.indices { context.hangUp(neighbour) }
      dropStreams()
    }
    return true
  }

  private mutating func dropStreams() {
    exchange = Exchange.begun(by: replica, limits: settings.limits)
    streams = Array(repeating: Stream(), count: streams.count)
    pending = []
  }

  /// Leaves a name that was used in two places.
  private mutating func leaveName() {
    takeNewName()
    value = name.opening(value)
  }

  mutating func tear(_ draw: UInt64, at stamp: HybridTimestamp) {
    _ = value.change(draw, among: settings.keys, at: stamp)
  }

  mutating func goBack() {
    restores += 1
    (durable, shadow) = (backup, backupShadow)
  }

  mutating func recover() {
    if settings.sabotage == .forgetful, place == 0, ticks > 5 { durable = backup }
    restart()
  }

  mutating func become(copyOf other: Self, draw: UInt64) {
    (durable, shadow) = (other.durable, other.shadow)
    (backup, backupShadow) = (durable, shadow)
    takeName(of: other)
    restart()
  }

  /// Starts with what is durable, without connections.
  private mutating func restart() {
    value = durable
    dropStreams()
    guard settings.hasForks else { return }
    readBackNow()
    value = name.opening(value)
  }
}
