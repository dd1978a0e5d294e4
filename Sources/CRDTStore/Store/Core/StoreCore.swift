import CRDTKit

/// The implementation that all store interfaces share: the document, the log and the
/// waiting commits.
///
/// A commit has two steps. First, under the monitor, which is held only for work in memory,
/// the document is changed and the delta is added to the batch. Then one thread at a time
/// has the right to write: it takes the batch, writes it as one frame, makes it durable,
/// and wakes the callers whose commits are in it. Commits made meanwhile form the next
/// batch.
///
/// While commits wait for the disk, `committed` is the state without them, which readers
/// see.
final class StoreCore: @unchecked Sendable {
  let path: String
  /// The number in the heads of all the store's files.
  let number: UInt64
  let options: Store.Options
  let monitor = Monitor(
    misuse:
      "the body of an edit must not use its store: it reads with value(of:of:in:) of the editor")
  let changes = ChangeBroadcaster()
  let eventTeller = EventTeller()
  /// Notifies when a peer is known to have more, which is no change of records.
  let peerNews = ChangeBroadcaster()
  /// The indexes of fields that are looked up by value.
  let indexes = FieldIndexes()
  /// The unreadable records that were reported to the app.
  let unreadable = Locked<Set<Document.RecordID>>([])
  /// Runs rounds in relays' folders one at a time.
  let folderTurns = FolderTurns()
  /// The result of opening the store.
  let report: RecoveryReport

  // The monitor guards all of these.

  /// The state with all commits, including those that are not yet durable.
  var working: StoreState
  /// The state that readers see, if it is another one.
  var committed: StoreState?
  var clock: HybridLogicalClock
  /// Checks the clock; `nil` before the store is open.
  var clockWatch: ClockWatch?
  /// The last warning about the clock.
  var clockWarning: Store.ClockWarning?
  var identity: StoreIdentity
  /// The number of seals with the same key before the store was opened.
  var sealsBefore: UInt64
  /// The peers with a note that isn't in the log yet.
  var unrecordedPeers: Set<ReplicaID> = []
  /// The forks that were mended since the store was opened.
  var mendedForks: [Store.MendedFork] = []
  /// The values that the store keeps for itself, with all commits.
  var local: LocalValues
  /// The rows that undos have put back, read from local values.
  var putBack: Document.PutBackRows
  /// The operations for a server, read from local values.
  var outbox: OutboxMachine
  /// The outbox's actions, for a caller that runs its steps; otherwise `nil`.
  var outboxActions: [OutboxAction]?
  /// The outcomes of operations that the server didn't apply, read from local values.
  var outcomes: OperationOutcomes
  /// The versions that the server is known to have, read from local values.
  var serverVersions: ServerVersions
  /// The collections that are exchanged with a server, in order.
  ///
  /// Besides those of the models, they are the ones that the store has exchanged with a
  /// server before, when it was opened for other models.
  let servedCollections: [String]
  var batch: BatchWriter
  /// The number of commits that were added to batches; `durable` is how many are durable.
  var appended: UInt64 = 0
  var durable: UInt64 = 0
  /// The last commit that somebody waits for.
  var awaited: UInt64 = 0
  /// The last commit with an operation for a server.
  var queuedCommit: UInt64 = 0
  /// The latest commits, if they queued just what they wrote.
  var queuedRun = CommitRun()
  /// Why the store accepts no more commits.
  var failure: StoreError?
  /// Whether a thread has the right to write.
  var isWriting = false
  /// Whether the writer was signalled for the batch.
  var hasRungForBatch = false
  /// Whether files are being read or replaced beside the log, by one thread at a time.
  var isCompacting = false
  /// The log size at which to try another compaction after one failed.
  var retryLogBytes = 0
  var isClosing = false
  var hasWriter = false
  /// The callers that wait for a commit to be durable.
  var waiters: [Waiter] = []
  /// The changes of commits that readers don't see yet.
  var announcements: [Announcement] = []
  var files: FileTally
  /// The records that a server is changing online, and in how many calls: what the server
  /// says of them may include these changes or not.
  var changedOnline: [Document.RecordID: Int] = [:]
  /// The pages that are being fetched from a server.
  var pagesUnderWay = PagesUnderWay()
  /// Whether the app was told that the soft limit is reached.
  var hasToldOfLimit = false

  // Only the thread with the right to write, or the compacting one, uses these.

  /// `nil` if the store is read-only.
  var log: SegmentLog?
  /// The open folder; `nil` once it is closed.
  var folder: StoreFolder?
  var manifest: Manifest
  var manifestNumber: UInt64

  /// A caller that waits for a commit.
  struct Waiter {
    var commit: UInt64
    var continuation: Handover<StoreError?>
  }

  /// The change of a commit, to be announced when the commit becomes visible.
  struct Announcement {
    var commit: UInt64
    var change: Store.Change
  }

  init(
    _ contents: StoreContents, _ folder: StoreFolder, log: SegmentLog?, files: FileTally,
    options: Store.Options
  ) {
    path = folder.path
    number = contents.store
    self.options = options
    report = contents.report
    working = StoreState(
      document: contents.document, localRecords: LocalRecords(contents.local),
      settings: contents.local.settings)
    identity = contents.identity
    sealsBefore = contents.seals
    local = contents.local
    putBack = Document.PutBackRows(contents.local)
    outbox = OutboxMachine(
      restoring: contents.local, settings: options.outbox, at: options.clock.milliseconds)
    serverVersions = ServerVersions(contents.local)
    servedCollections = Set(serverVersions.counts.keys)
      .union((outbox.pending + outbox.deadLetters).map(\.record.collection))
      .subtracting(options.models.collections).union(options.models.served).sorted()
    outcomes = OperationOutcomes(contents.local)
    clock = HybridLogicalClock(
      replica: identity.replica,
      resuming: HybridTimestamp(time: identity.clockTime, replica: identity.replica),
      maximumDrift: options.maximumClockDrift)
    batch = BatchWriter(after: contents.frontier)
    self.log = log
    self.files = files
    self.folder = folder
    manifest = contents.manifest
    manifestNumber = contents.manifestNumber
  }
}

extension StoreCore {
  /// The document that readers see.
  var document: Document {
    monitor.withLock { committed?.document ?? working.document }
  }

  /// The state that readers see; the monitor is held.
  var seen: StoreState {
    if committed == nil { working.document.prepareForReading() }
    return committed ?? working
  }

  /// Keeps what readers see: later commits become visible only once they are durable.
  func keepSeen() {
    if committed == nil { committed = working }
  }

  /// Throws if the store is closed.
  func checkOpen() throws(StoreError) {
    if monitor.withLock({ isClosing }) { throw .closed(path: path) }
  }

  /// Throws if the store can't be written now.
  func checkWritable() throws(StoreError) {
    if let failure { throw failure }
    if isClosing { throw .closed(path: path) }
    guard log != nil else { throw .readOnly(path: path) }
    // A plan made now would otherwise rest on something else.
    if monitor.allowsReads { throw .writing(path: path) }
  }
}

extension StoreCore {
  /// Writes the waiting commits, marks the store as closed properly, and closes the folder.
  ///
  /// Closing a closed store does nothing.
  func close() throws(StoreError) {
    monitor.lock()
    defer { monitor.unlock() }
    if isClosing {
      while folder != nil { monitor.wait(for: .done) }
      return
    }
    // From here on nobody can commit. Wait for those who have.
    isClosing = true
    monitor.signal(.work)
    while isCompacting || isWriting || hasWriter { monitor.wait(for: .done) }
    if failure == nil, log != nil {
      recordPeers()
      batch.add(.end)
      writeBatch()
      if failure == nil, let log, let folder {
        folder.note(ClosingMark(store: number, segment: log.number, size: log.size))
      }
    }
    changes.finish()
    peerNews.finish()
    log?.close()
    folder?.close()
    log = nil
    folder = nil
    for waiter in waiters { waiter.continuation.resume(returning: .closed(path: path)) }
    waiters = []
    monitor.signal(.done)
    if let failure { throw failure }
  }
}
