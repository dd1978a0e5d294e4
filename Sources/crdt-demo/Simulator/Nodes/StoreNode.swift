import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// A replica of a ``World`` that keeps its document in a real store, on a disk in
/// memory that loses what was not synchronised.
///
/// The store has no threads of its own: what they would do, the node does when
/// virtual time says so.
struct StoreNode: ReplicaNode, StoreKeeper {
  typealias Value = Document
  typealias Message = [UInt8]
  typealias Context = WorldContext<Message>

  /// This replica's state of a neighbour.
  private struct Peer {
    var session: Store.Session?
    /// Ticks since the last receipt.
    var silence = 0
    /// Whether the session has not received all changes.
    var isDue = false
  }

  /// An edit that failed: it may be on the disk or not.
  struct DoubtfulEdit {
    var before: Document
    var changes: [OracleChange]
    var serial: Int
  }

  let place: Int
  var replica: ReplicaID
  var value = Document()
  var restores = 0
  private(set) var tally = DeltaTally()
  var log: [RecordedEdit] = []
  var failures: [String] = []

  var disk: WorldDisk
  var store: Store?
  /// Where the store is: elsewhere after it was restored from a backup.
  var path = "/store"
  /// The last backup that was made.
  var backup: String?
  /// The disk as it was then.
  var imageBackup: Backup?
  /// The edits that were made in its own past.
  var shadow = Shadow()
  /// The number of the edit that is made, and of the next one that no step makes.
  private var serial = 0
  private var nextSerial: Int
  /// What is known to be durable.
  var durableVersion = VersionVector()
  /// Edits that a crash may take, in their order.
  var pending: [RecordedEdit] = []
  /// How many of them were acknowledged.
  var acknowledgedCount = 0
  var doubtful: DoubtfulEdit?
  let settings: NodeSettings
  private var peers: [Peer]
  private let clock = NodeClock()
  private let elapsed = NodeElapsed()
  /// The tick at which what is stamped in the future is written anew.
  var restampTick: Int?
  /// The names that stores take, and how many they have taken.
  private let names: Locked<(names: WorldNames, taken: Int)>
  private var generator: SeededGenerator
  private(set) var ticks = 0
  /// When the first of the pending edits was made.
  private var pendingSince: UInt64 = 0
  /// The version that the last backup has.
  private var backedUp = VersionVector()

  init(place: Int, neighbours: Int, settings: NodeSettings, seed: UInt64) {
    self.place = place
    self.settings = settings
    replica = WorldNames(seed: seed).name(of: place)
    names = Locked((WorldNames(seed: seed), 0))
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 61)
    nextSerial = 2_000 + 50 * place
    disk = WorldDisk(isLying: settings.sabotage == .storeFdatasync)
    peers = Array(repeating: Peer(), count: neighbours)
    open(creating: true)
    resume()
  }

  var hasPendingEdits: Bool { !pending.isEmpty }

  var diskTally: DiskTally { disk.tally }

  func promise(of neighbour: Int) -> VersionVector? {
    guard let store, let peer = peers[neighbour].session?.peerReplica else { return [:] }
    return store.peers.first { $0.replica == peer }?.version ?? [:]
  }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    setClock(context)
    serial = context.serial
    // Drawn from the number alone, so that a shrunken schedule does the same.
    var dice = SeededGenerator(seed: number, stream: 31)
    let isRelaxed = dice.happens(settings.disks.relaxed)
    let isFailing = dice.happens(settings.disks.faults)
    if isFailing { disk.spoil(using: &dice) }
    if pending.isEmpty { pendingSince = context.now }
    let isMade = commit(number, isRelaxed && !isFailing ? .relaxed : .full, mayFail: isFailing)
    guard isMade else {
      startAnew(&dice)
      context.dies = true
      return
    }
    if isFailing { disk.heal() }
    acknowledgedCount = pending.count
    if settings.hasAhead { noteAhead(context) }
    settle()
    if pending.isEmpty { tellPeers() }
  }

  mutating func tick(_ context: inout Context) {
    setClock(context)
    ticks += 1
    if settings.disks.hasBackups, ticks % settings.backupTicks == 0 { backUp() }
    restampIfDue(context)
    compactIfDue()
    flushIfDue(context.now)
    for neighbour in peers.indices {
      guard let session = peers[neighbour].session else { continue }
      if peers[neighbour].isDue {
        peers[neighbour].isDue = false
        exchange(neighbour, &context) { () throws(StoreError) in try session.flush() }
        if context.dies { return }
      }
      peers[neighbour].silence += 1
      guard peers[neighbour].silence > settings.patience else { continue }
      peers[neighbour].silence = 0
      guard !session.isSynchronized else { continue }
      session.disconnect()
      context.hangUp(neighbour)
    }
  }

  mutating func receive(_ message: [UInt8], from neighbour: Int, _ context: inout Context) {
    if settings.sabotage == .deaf, place == 0 { return }
    peers[neighbour].silence = 0
    setClock(context)
    guard let session = peers[neighbour].session else { return }
    exchange(neighbour, &context) { () throws(StoreError) in try session.receive(message) }
  }

  private func setClock(_ context: Context) {
    clock.set(context.wallMilliseconds)
    if settings.hasAhead { elapsed.set(context.now) }
  }

  mutating func connect(to neighbour: Int, _ context: inout Context) {
    peers[neighbour].silence = 0
    peers[neighbour].isDue = true
    guard let session = peers[neighbour].session else { return }
    exchange(neighbour, &context) { () throws(StoreError) in try session.connect() }
  }

  mutating func disconnect(from neighbour: Int) { peers[neighbour].session?.disconnect() }
}

extension StoreNode {
  /// Opens the store from the disk.
  mutating func open(creating: Bool) {
    var options = disk.options(of: place, clock: clock, settings: settings.disks)
    options.createsIfMissing = creating
    if settings.hasAhead { options.monotonicClock = elapsed }
    options.makeReplica = { [names, place] in
      names.withLock { names in
        defer { names.taken += 1 }
        return names.names.name(of: place, generation: names.taken)
      }
    }
    do throws(StoreError) {
      store = try Store.open(at: path, schema: SharedDocument.schema, options: options)
    } catch {
      failures.append("the store doesn't open: \(error)")
    }
    for neighbour in peers.indices {
      peers[neighbour] = Peer(session: store?.session(limits: settings.limits))
    }
  }

  /// Releases the store, whose process has ended.
  mutating func forgetStore() {
    store = nil
    for neighbour in peers.indices { peers[neighbour] = Peer() }
  }

  /// Makes the change that a number stands for, and counts it as pending; false where
  /// the store has stopped.
  mutating func commit(_ number: UInt64, _ durability: Store.Durability, mayFail: Bool = false)
    -> Bool
  {
    guard let store else { return true }
    noteName()
    if serial == 0 { serial = takeSerial() }
    defer { serial = 0 }
    let before = value
    let edit = NotesEdit(number, among: settings.keys, reading: value)
    do {
      try store.edit(durability, edit.change)
    } catch let error as StoreError {
      if !mayFail { failures.append("a commit has failed: \(error)") }
      doubtful = DoubtfulEdit(before: before, changes: edit.changes, serial: serial)
      return false
    } catch {
      // The document has refused it, and nothing has changed.
      return true
    }
    value = store.document
    add(edit.changes, after: before, serial: serial)
    if durability == .relaxed, value.version != before.version { disk.tally.relaxed += 1 }
    return true
  }

  /// A number for an edit that no step makes.
  mutating func takeSerial() -> Int {
    nextSerial += 1
    return nextSerial
  }

  /// Counts changes as pending that were made to what was there before.
  mutating func add(_ changes: [OracleChange], after before: Document, serial: Int) {
    let observed = before.version
    let counter = value.version[replica]
    guard counter > observed[replica] else { return }
    let stamp = value.delta(since: observed).latestTimestamp
    for (number, change) in changes.enumerated() {
      pending.append(
        RecordedEdit(
          replica: replica, counter: counter, observed: observed, change: change,
          stamp: stamp ?? HybridTimestamp(time: 0, replica: replica), serial: serial,
          place: place, events: number == 0 ? counter - observed[replica] : 0,
          read: settings.hasForks ? before.payloads(under: change.key) : []))
    }
  }

  /// Takes note of what is durable by now.
  mutating func settle() {
    guard let store, store.statistics.pendingCommits == 0 else { return }
    value = store.document
    durableVersion = value.version
    disk.tally.commits += pending.count
    record(pending)
    (pending, acknowledgedCount) = ([], 0)
  }

  private mutating func tellPeers() {
    for neighbour in peers.indices { peers[neighbour].isDue = true }
  }

  private mutating func flushIfDue(_ now: UInt64) {
    guard let store, !pending.isEmpty, now >= pendingSince + DiskSettings.gatheringMicroseconds
    else { return }
    do throws(StoreError) { try store.flush() } catch {
      failures.append("what is pending can't be made durable: \(error)")
    }
    settle()
    tellPeers()
  }

  private mutating func backUp() {
    guard let store, backedUp != durableVersion else { return }
    let target = "/backup \(place).\(ticks)"
    do throws(StoreError) { try store.backUp(to: target) } catch {
      failures.append("a backup has failed: \(error)")
    }
    settle()
    disk.tally.backups += 1
    (backup, backedUp) = (target, durableVersion)
    if settings.hasForks { keepDisk() }
  }

  /// Does what a session asks for.
  private mutating func exchange(
    _ neighbour: Int, _ context: inout Context,
    _ body: () throws(StoreError) -> [Store.Session.Action]
  ) {
    guard let store else { return }
    let calls = disk.callCount
    let commits = store.statistics.commits
    let actions: [Store.Session.Action]
    do throws(StoreError) { actions = try body() } catch {
      if settings.hasAhead, case .clockDrift = error { return context.hangUp(neighbour) }
      failures.append("an exchange has failed: \(error)")
      return
    }
    noteName()
    let learned = Int(store.statistics.commits - commits)
    guard learned > 0 || !actions.isEmpty else { return }
    if settings.death > 0, generator.happens(settings.death) {
      return die(after: calls, actions, neighbour, &context)
    }
    settle()
    disk.tally.commits += learned
    perform(actions, neighbour, &context)
    tally.delivered += learned
    tally.applied += learned
    context.learned += learned
    if learned > 0 { tellPeers() }
  }

  private mutating func perform(
    _ actions: some Sequence<Store.Session.Action>, _ neighbour: Int,
    _ context: inout Context
  ) {
    var bytes: [UInt8] = []
    for action in actions {
      switch action {
      case .send(let more): bytes += more
      case .close(let failure):
        if !failure.isDamage, !isOfClock(failure), !(settings.hasForks && failure.isOfFork) {
          failures.append("a session has failed: \(failure)")
        }
        context.hangUp(neighbour)
      }
    }
    context.send(bytes, to: neighbour, inPiecesOf: settings.pieceMax, using: &generator)
  }

  /// Lets the power be cut somewhere in an exchange: at a call of the disk, or when a
  /// part of the bytes was sent.
  private mutating func die(
    after calls: Int, _ actions: [Store.Session.Action], _ neighbour: Int,
    _ context: inout Context
  ) {
    let made = disk.callCount - calls
    let moment = generator.below(made + actions.count + 1)
    if moment > made { perform(actions.prefix(moment - made), neighbour, &context) }
    context.hangUps = []
    disk.tally.cutsInExchanges += 1
    var dice = SeededGenerator(seed: generator.next())
    disk.cutPower(after: calls + min(moment, made), using: &dice)
    restart(&dice)
    context.dies = true
  }
}
