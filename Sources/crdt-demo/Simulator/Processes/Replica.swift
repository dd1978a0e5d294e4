import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Toolkit

/// A replica of the shared document, which makes operations, processes received bytes, and
/// returns the messages to send.
struct Replica {
  private let settings: ReplicaSettings
  /// The store of the document; `nil` if it is in memory.
  private let store: ReplicaStore?
  private var document = Document(schema: SharedDocument.schema)
  private var clock: ReplicaClock
  private var editor: RandomEditor
  /// In ascending order of their places.
  private var neighbours: [Neighbour]
  private(set) var counts: ReplicaCounts
  /// What was done to the ledger with each change, where that is asked for.
  private var marks: [LedgerMark] = []
  /// Whether received bytes are dropped: a fault for tests.
  var isDeaf = false
  /// Whether commits are reported before they are made: a fault for tests.
  var isBoasting = false

  init(settings: ReplicaSettings) throws {
    self.settings = settings
    let replica = SharedDocument.replica(settings.index)
    // Each process of a replica draws operations of its own.
    let generator = SeededGenerator(
      seed: settings.seed,
      stream: UInt64(settings.store?.deaths ?? 0) << 16 | UInt64(settings.index))
    clock = ReplicaClock(replica: replica, wallMilliseconds: WorldClock.beginning)
    let store = try settings.store.map { try ReplicaStore($0.path, replica: replica) }
    self.store = store
    let account = try settings.store?.account(
      of: replica, holding: store?.document.version ?? [:])
    editor = RandomEditor(
      generator: generator, added: account?.added ?? [0, 0],
      entriesMade: account?.entriesMade ?? 0, task: settings.task,
      operationsMade: account?.counts.operations ?? 0)
    counts = account?.counts ?? ReplicaCounts()
    neighbours = settings.neighbours.map {
      Neighbour(
        place: $0, replica: replica, silenceMax: settings.silenceMax, store: store?.store)
    }
  }

  /// Writes under another's identifier: a fault for tests.
  mutating func impersonate(_ place: Int) {
    let replica = SharedDocument.replica(place)
    clock.impersonate(replica)
    for index in neighbours.indices { neighbours[index].impersonate(replica) }
  }

  /// Sets the wall clock.
  mutating func setClock(to milliseconds: UInt64) {
    clock.set(milliseconds)
    store?.setClock(to: milliseconds)
  }

  /// The greatest number of operations in one call.
  private static let batchMax = 100

  /// Makes operations until there are so many, or as many as are made at a time.
  ///
  /// Where they are committed to a store, it reports each commit before and after.
  mutating func makeOperations(
    until target: Int, telling tell: (Reply) throws -> Void
  ) throws {
    let count = min(target - counts.operations, Self.batchMax)
    guard count > 0 else { return }
    if let store {
      for _ in 0..<count {
        try makeOperation(in: store, telling: tell)
        markLedger()
      }
      try tidy(store, telling: tell)
    } else {
      for _ in 0..<count {
        try editor.edit(&document, by: &clock)
        markLedger()
      }
      counts.operations += count
      counts.recordsPurged += editor.tidy(&document, by: &clock)
    }
  }

  private mutating func markLedger() {
    guard settings.marksLedger else { return }
    let version = store?.document.version ?? document.version
    marks.append(
      LedgerMark(
        counter: version[SharedDocument.replica(settings.index)], added: editor.added,
        entriesMade: editor.entriesMade))
  }

  /// Takes in what the coordinator says of the streams.
  mutating func take(_ messages: [LinkMessage]) throws {
    for message in messages {
      guard let index = neighbours.firstIndex(where: { $0.place == message.peer }) else {
        throw CommandFailure("a message is about a stream that there is not")
      }
      if isDeaf, case .bytes = message.content { continue }
      try neighbours[index].take(message, into: &document, clock: &clock, counting: &counts)
    }
    try checkName()
  }

  /// Expects the links to bring all bytes from now on.
  mutating func trustLinks() {
    for index in neighbours.indices { neighbours[index].isReliable = true }
  }

  /// The messages to send now.
  mutating func messages() throws -> [LinkMessage] {
    try neighbours.indices.flatMap { index in
      try neighbours[index].flush(document, counting: &counts)
      return neighbours[index].takeMessages()
    }
  }

  /// The replica's results.
  var report: ReplicaReport {
    let document = store?.document ?? document
    let summary = DocumentSummary(document: document)
    let account = account
    return ReplicaReport(
      counts: account.counts, digests: summary.digests, contents: summary.contents,
      conflictsOpen: document.conflicts.count, sums: summary.sums, added: account.added,
      entries: summary.entryCounts(replicas: settings.replicas),
      entriesMade: account.entriesMade, version: document.version, marks: marks)
  }

  /// The current state of the document.
  var state: ReplicaState {
    let summary = DocumentSummary(document: store?.document ?? document)
    return ReplicaState(digest: summary.digest, value: summary.brief)
  }

  /// What the replica has done, with those processes that it had before.
  private var account: ReplicaAccount {
    var counts = counts
    counts.microseconds += Int(Syscalls.processorMicroseconds)
    return ReplicaAccount(counts: counts, added: editor.added, entriesMade: editor.entriesMade)
  }
}

extension Replica {
  private mutating func makeOperation(
    in store: ReplicaStore, telling tell: (Reply) throws -> Void
  ) throws {
    clock.advance()
    let change = editor.drawChange(reading: store.document)
    counts.operations += 1
    try commit(change, to: store, telling: tell)
  }

  private mutating func tidy(
    _ store: ReplicaStore, telling tell: (Reply) throws -> Void
  ) throws {
    guard editor.drawsTidying() else { return }
    clock.advance()
    var purged = 0
    try commit({ purged = RandomEditor.purge(&$0) }, to: store, telling: tell)
    counts.recordsPurged += purged
  }

  /// Commits a change, and reports it before and after.
  private mutating func commit(
    _ change: RandomEditor.Change, to store: ReplicaStore, telling tell: (Reply) throws -> Void
  ) throws {
    try tell(.intends(account))
    if isBoasting {
      var holdings = holdings
      holdings.version[SharedDocument.replica(settings.index)] += 1
      try tell(.holds(holdings))
      // Long enough that it dies in between, sooner or later.
      Syscalls.sleep(milliseconds: 1)
    }
    try store.commit(change, at: clock.wallMilliseconds)
    try tell(.holds(holdings))
  }

  /// The durable state of the store.
  var holdings: ReplicaHoldings {
    ReplicaHoldings(account: account, version: store?.document.version ?? [:])
  }

  /// A store that takes another name has received changes of its own that it lacks.
  private func checkName() throws(CommandFailure) {
    guard let store, store.replica != SharedDocument.replica(settings.index) else { return }
    throw CommandFailure("others have seen more of its changes than its store holds")
  }

  /// Closes the store, if there is one.
  func close() throws {
    try store?.close()
  }
}

/// The clock that a replica writes by: a hybrid one, over the wall clock that its
/// coordinator gives it.
struct ReplicaClock {
  private var clock: HybridLogicalClock
  /// What the wall clock shows.
  private(set) var wallMilliseconds: UInt64

  init(replica: ReplicaID, wallMilliseconds: UInt64) {
    clock = HybridLogicalClock(replica: replica)
    self.wallMilliseconds = wallMilliseconds
  }

  /// The replica that the stamps name.
  var replica: ReplicaID { clock.replica }

  /// Sets the wall clock.
  mutating func set(_ milliseconds: UInt64) { wallMilliseconds = milliseconds }

  /// Lets a millisecond pass.
  mutating func advance() { wallMilliseconds += 1 }

  /// From now on, makes stamps of another replica: a fault for tests.
  mutating func impersonate(_ replica: ReplicaID) {
    clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
  }

  /// The stamp of the next operation, a millisecond later.
  mutating func next() -> HybridTimestamp {
    advance()
    return clock.now(wallMilliseconds: wallMilliseconds)
  }

  /// Makes sure that later stamps are greater than those of a delta.
  mutating func receive(_ delta: TableDelta<Document>) throws(HybridLogicalClock.DriftError) {
    guard let latest = delta.latestTimestamp else { return }
    try clock.receive(latest, wallMilliseconds: wallMilliseconds)
  }
}

/// A store that holds a replica's document, and writes by the replica's clock.
struct ReplicaStore {
  let store: Store
  /// Shows the time that the replica's own clock was last at.
  private let clock: NodeClock

  /// Opens the store, or creates it.
  ///
  /// Its segments are so small, and snapshots worth so little, that a short run has
  /// many of both.
  init(_ path: String, replica: ReplicaID) throws(CommandFailure) {
    let clock = NodeClock()
    self.clock = clock
    var options = Store.Options()
    options.segmentBytes = 1 << 12
    options.minimumCompactionBytes = 1 << 12
    options.maximumPeerHistoryBytes = 1 << 13
    options.clock = clock
    options.makeReplica = { replica }
    // What replicas hold is to be the same as without stores.
    options.makeStretchNonce = { nil }
    options.makeDocumentID = { nil }
    do {
      store = try Store.open(at: path, schema: SharedDocument.schema, options: options)
    } catch {
      throw CommandFailure("\(error)")
    }
    guard !store.recovery.isCopy, store.replica == replica else {
      throw CommandFailure("the store in '\(path)' is another replica's")
    }
  }

  /// The replica that the store writes as.
  var replica: ReplicaID { store.replica }

  /// Makes all durable, and closes the store.
  func close() throws {
    try store.close()
  }

  /// The document as it is committed.
  var document: Document { store.document }

  /// Sets the wall clock.
  func setClock(to milliseconds: UInt64) { clock.set(milliseconds) }

  /// Makes a change, durably, at a time of the replica's clock.
  func commit(_ change: RandomEditor.Change, at milliseconds: UInt64) throws {
    clock.set(milliseconds)
    try store.edit(.full) { edit in try change(&edit) }
  }
}
