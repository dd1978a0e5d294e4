import CRDTKit

/// A replica of a ``World`` with one real group for all its neighbours, over streams
/// of bytes that are cut at any place.
struct GroupNode<Value: WorldValue>: MortalNode {
  typealias Message = [UInt8]
  typealias Context = WorldContext<Message>

  /// The state of a neighbour besides the group.
  private struct Stream {
    /// Ticks since the last receipt.
    var silence = 0
    /// Ticks for which the stream stands still, and what has come by it meanwhile.
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
  var durable = Value()
  var backup = Value()
  var shadow = Shadow()
  var backupShadow = Shadow()
  var clock: HybridLogicalClock
  var readBack: ReadBack
  private var generator: SplitMix64
  let settings: NodeSettings
  private var group: PeerGroup<Value, Int>
  private var streams: [Stream]
  /// The group's requests while nothing could be sent.
  private var pending: [PeerGroup<Value, Int>.Action] = []
  var ticks = 0

  init(place: Int, neighbours: Int, settings: NodeSettings, seed: UInt64) {
    self.place = place
    self.settings = settings
    name = NodeName(of: place, seed: seed)
    clock = HybridLogicalClock(replica: name.replica)
    readBack = ReadBack(of: place, settings: settings, seed: seed)
    generator = SplitMix64(seed: seed, stream: UInt64(place) | 1 << 62)
    group = PeerGroup(replica: name.replica, limits: settings.limits)
    streams = Array(repeating: Stream(), count: neighbours)
    if settings.hasForks { value = name.opening(value) }
  }

  func promise(of neighbour: Int) -> VersionVector? { group[neighbour]?.peerVersion ?? [:] }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    guard change(number, context) else { return }
    // Some edits go at once.
    guard generator.below(4) == 0, performPending(&context) else { return }
    _ = perform(group.flush(value), &context)
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
      guard goOn(with: neighbour, &context) else { return }
    }
    guard perform(group.flush(value), &context) else { return }
    for neighbour in group.connectedPeers { watch(neighbour, &context) }
  }

  /// Gives up a connection by which nothing has come for long, though something is
  /// owed: later than who has one neighbour alone would, as the others may bring it.
  private mutating func watch(_ neighbour: Int, _ context: inout Context) {
    streams[neighbour].silence += 1
    guard streams[neighbour].silence > 8 * settings.patience else { return }
    streams[neighbour].silence = 0
    guard group[neighbour]?.isSynchronized(value) == false else { return }
    pending += group.disconnect(neighbour)
    context.hangUp(neighbour)
  }

  mutating func receive(_ message: [UInt8], from neighbour: Int, _ context: inout Context) {
    if settings.sabotage == .deaf, place == 0 { return }
    readBackIfDue()
    guard performPending(&context) else { return }
    if settings.stall > 0, streams[neighbour].stall == 0, generator.happens(settings.stall) {
      streams[neighbour].stall = 1 + generator.below(8 * settings.patience)
    }
    guard streams[neighbour].stall == 0 else {
      streams[neighbour].held.append(message)
      return
    }
    _ = take(message, from: neighbour, &context)
  }

  /// Takes in what was held back, where a stream has stood still long enough; false
  /// where the replica dies of it.
  private mutating func goOn(with neighbour: Int, _ context: inout Context) -> Bool {
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
    let actions = group.receive(message, from: neighbour, into: &value) { delta in
      guard let stamp = Value.latestTimestamp(in: delta) else { return }
      try clock.receive(stamp, wallMilliseconds: wall)
    }
    return perform(actions, &context)
  }

  mutating func connect(to neighbour: Int, _ context: inout Context) {
    streams[neighbour] = Stream()
    guard performPending(&context) else { return }
    _ = perform(group.connect(value, to: neighbour), &context)
  }

  mutating func disconnect(from neighbour: Int) {
    streams[neighbour] = Stream()
    pending.removeAll { if case .send(_, neighbour) = $0 { true } else { false } }
    pending += group.disconnect(neighbour)
  }

  /// Sets the state to what a crash leaves.
  mutating func startOver() {
    value = durable
    dropStreams()
  }

  private mutating func dropStreams() {
    group = PeerGroup(replica: replica, limits: settings.limits)
    streams = Array(repeating: Stream(), count: streams.count)
    pending = []
  }

  /// Does what the group asked for while nothing could be sent, before anything else
  /// goes out; false where the replica dies of it.
  private mutating func performPending(_ context: inout Context) -> Bool {
    let actions = pending
    pending = []
    return perform(actions, &context)
  }

  /// Performs the group's requests.
  ///
  /// Returns `false` if the replica crashes meanwhile.
  private mutating func perform(
    _ actions: [PeerGroup<Value, Int>.Action], _ context: inout Context
  ) -> Bool {
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
      case .takeNewReplica where settings.hasForks: isRenamed = true
      case .takeNewReplica: failures.append("a new replica was asked for")
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
    if isRenamed { goOnAsAnother(&context) }
    return true
  }

  /// Goes on under a new name, with another group on new streams.
  private mutating func goOnAsAnother(_ context: inout Context) {
    leaveName()
    for neighbour in streams.indices { context.hangUp(neighbour) }
    dropStreams()
  }
}
