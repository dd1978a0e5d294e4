import CRDTKit

/// A replica of a ``World`` with a real peer session for each neighbour, over
/// streams of bytes that are cut at any place.
struct SessionNode<Value: WorldValue>: MortalNode {
  typealias Message = [UInt8]
  typealias Context = WorldContext<Message>

  /// This replica's state of a neighbour.
  private struct Peer {
    var session: PeerSession<Value>
    /// Ticks since the last receipt.
    var silence = 0
    /// Whether the session has not received all changes.
    var isDue = false
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
  private var peers: [Peer]
  var ticks = 0

  init(place: Int, neighbours: Int, settings: NodeSettings, seed: UInt64) {
    self.place = place
    self.settings = settings
    name = NodeName(of: place, seed: seed)
    clock = HybridLogicalClock(replica: name.replica)
    readBack = ReadBack(of: place, settings: settings, seed: seed)
    generator = SplitMix64(seed: seed, stream: UInt64(place) | 1 << 62)
    let peer = Peer(session: PeerSession(replica: name.replica, limits: settings.limits))
    peers = Array(repeating: peer, count: neighbours)
    if settings.hasForks { value = name.opening(value) }
  }

  func promise(of neighbour: Int) -> VersionVector? { peers[neighbour].session.peerVersion }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    guard change(number, context) else { return }
    for peer in peers.indices { peers[peer].isDue = true }
  }

  mutating func tick(_ context: inout Context) {
    ticks += 1
    readBackIfDue()
    if settings.isMortal, ticks % settings.backupTicks == 0 {
      (backup, backupShadow) = (durable, shadow)
    }
    if settings.sabotage == .backwards, place == 0, ticks % 7 == 0 { value = backup }
    for peer in peers.indices where peers[peer].session.isConnected {
      if peers[peer].isDue {
        peers[peer].isDue = false
        guard perform(peers[peer].session.flush(value), for: peer, &context) else { return }
      }
      watch(peer, &context)
    }
  }

  /// Gives up a connection by which nothing has come for long, though something is
  /// owed.
  private mutating func watch(_ peer: Int, _ context: inout Context) {
    peers[peer].silence += 1
    guard peers[peer].silence > settings.patience else { return }
    peers[peer].silence = 0
    guard !peers[peer].session.isSynchronized(value) else { return }
    peers[peer].session.disconnect()
    context.hangUp(peer)
  }

  mutating func receive(_ message: [UInt8], from neighbour: Int, _ context: inout Context) {
    if settings.sabotage == .deaf, place == 0 { return }
    readBackIfDue()
    peers[neighbour].silence = 0
    let wall = context.wallMilliseconds
    let actions = peers[neighbour].session.receive(message, into: &value) { delta in
      guard let stamp = Value.latestTimestamp(in: delta) else { return }
      try clock.receive(stamp, wallMilliseconds: wall)
    }
    _ = perform(actions, for: neighbour, &context)
  }

  mutating func connect(to neighbour: Int, _ context: inout Context) {
    peers[neighbour].silence = 0
    peers[neighbour].isDue = true
    _ = perform(peers[neighbour].session.connect(value), for: neighbour, &context)
  }

  mutating func disconnect(from neighbour: Int) {
    peers[neighbour].session.disconnect()
  }

  /// Sets the state to what a crash leaves.
  mutating func startOver() {
    value = durable
    for peer in peers.indices {
      peers[peer] = Peer(session: PeerSession(replica: replica, limits: settings.limits))
    }
  }

  /// Performs a session's requests.
  ///
  /// Returns `false` if the replica crashes meanwhile.
  private mutating func perform(
    _ actions: [PeerSession<Value>.Action], for peer: Int, _ context: inout Context
  ) -> Bool {
    guard !actions.isEmpty else { return true }
    let isDoomed = settings.death > 0 && generator.happens(settings.death)
    let survived = isDoomed ? generator.below(actions.count + 1) : actions.count
    var bytes: [UInt8] = []
    var learned = 0
    for action in actions.prefix(survived) {
      switch action {
      case .send(let more): bytes += more
      case .learned(let delta):
        learned += 1
        guard settings.isMortal else { break }
        do { try durable.apply(mending: delta) } catch {
          failures.append("learned a delta that \(error)")
        }
      case .takeNewReplica where settings.hasForks:
        leaveName()
        for place in peers.indices { peers[place].session.replica = replica }
      case .takeNewReplica: failures.append("a new replica was asked for")
      case .close(let failure):
        if !failure.isDamage, !(settings.hasForks && failure.isOfFork) {
          failures.append("a session has failed: \(failure)")
        }
        context.hangUp(peer)
      }
    }
    context.send(bytes, to: peer, inPiecesOf: settings.pieceMax, using: &generator)
    if learned > 0 {
      tally.delivered += learned
      tally.applied += learned
      context.learned += learned
      for other in peers.indices where other != peer { peers[other].isDue = true }
    }
    guard isDoomed else { return true }
    restart()
    context.dies = true
    return false
  }
}
