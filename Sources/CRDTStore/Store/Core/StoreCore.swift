import CRDTKit

/// What a store is behind its interfaces: the document, the log, and who waits for
/// what.
///
/// A commit has two steps. Under the monitor, which is held only for work in
/// memory, the document is changed and the delta is added to the batch. Then one
/// thread at a time has the right to write: it takes the batch, writes it as one
/// frame, makes it durable, and lets all go on whose commits are in it. What comes
/// meanwhile is the next batch.
///
/// While commits wait for the disk, `committed` is the document without them, and
/// what readers see.
final class StoreCore: @unchecked Sendable {
  let path: String
  /// The number that all of the store's files have in their heads.
  let number: UInt64
  let options: StoreOptions
  let monitor = Monitor(
    misuse:
      "the body of an edit must not use its store: it reads with value(of:of:in:) of the editor")
  let changes = ChangeBroadcaster()
  let eventTeller = EventTeller()
  /// Tells when a peer is known to have more: no change of records.
  let peerNews = ChangeBroadcaster()
  /// Which records have which values, for fields that are looked up.
  let indexes = FieldIndexes()
  /// The records that can't be read, of which the app was told.
  let unreadable = Locked<Set<Document.RecordID>>([])
  /// Whose turn it is in the folders of relays.
  let folderTurns = FolderTurns()
  /// What opening the store found.
  let report: RecoveryReport

  // All of these are guarded by the monitor.

  /// The document with all commits, those too that are not yet durable.
  var working: Document
  /// The document that readers see, where it is another.
  var committed: Document?
  /// The records kept here alone that readers see, where they see another document.
  var committedLocalRecords: LocalRecords?
  /// The settings that readers see, where they see another document.
  var committedSettings: LocalValues?
  var clock: HybridLogicalClock
  /// Looks whether the clock is odd; `nil` before the store is open.
  var clockWatch: ClockWatch?
  /// What was last told of the clock.
  var clockWarning: ClockWarning?
  var identity: StoreIdentity
  /// How often something was sealed before the store was opened, with the same key.
  var sealsBefore: UInt64
  /// The peers of which something was noted that isn't in the log.
  var unrecordedPeers: Set<ReplicaID> = []
  /// What was mended since the store was opened.
  var mendedForks: [MendedFork] = []
  /// What the store keeps for itself, with all commits.
  var local: LocalValues
  /// The records that are kept here alone, as local values hold them.
  var localRecords: LocalRecords
  /// The settings among the local values.
  var settings: LocalValues
  /// What is to be sent to a server, as local values hold it.
  var outbox: OutboxMachine
  /// What has followed in the outbox, for who takes its steps; else `nil`.
  var outboxActions: [OutboxAction]?
  /// What became of operations that the server didn't do, as local values hold it.
  var outcomes: OperationOutcomes
  /// What the server is known to have, as local values hold it.
  var serverVersions: ServerVersions
  var batch = BatchWriter()
  /// How many commits have been added to batches, and how many of them are durable.
  var appended: UInt64 = 0
  var durable: UInt64 = 0
  /// The last commit that somebody waits for.
  var awaited: UInt64 = 0
  /// The last commit of something that a server is to be told.
  var queuedCommit: UInt64 = 0
  /// Why no more commits are taken.
  var failure: StoreError?
  /// Whether somebody has the right to write.
  var isWriting = false
  /// Whether the writer was told of the batch.
  var hasRungForBatch = false
  /// Whether files are read or replaced beside the log, by one at a time.
  var isCompacting = false
  /// How large the log must be before another compaction is tried, after one failed.
  var retryLogBytes = 0
  var isClosing = false
  var hasWriter = false
  /// Who waits for a commit to be durable.
  var waiters: [Waiter] = []
  /// What commits changed that readers don't see yet.
  var announcements: [Announcement] = []
  var files: FileTally
  /// The records that a server is changing at once, and in how many calls: what it says
  /// of them may be with that or without.
  var changedOnline: [Document.RecordID: Int] = [:]
  /// The pages that a server is asked for now.
  var pagesUnderWay = PagesUnderWay()
  /// Whether the app was told that the soft limit is reached.
  var hasToldOfLimit = false

  // These are touched only by the one who has the right to write, or compacts.

  /// `nil` where the store is only read.
  var log: SegmentLog?
  /// Where the folder is open; `nil` once it is closed.
  var folder: StoreFolder?
  var manifest: Manifest
  var manifestNumber: UInt64

  /// Somebody who waits for a commit.
  struct Waiter {
    var commit: UInt64
    var continuation: Handover<StoreError?>
  }

  /// What a commit changed, to be told when it is seen.
  struct Announcement {
    var commit: UInt64
    var change: StoreChange
  }

  init(
    _ contents: StoreContents, _ folder: StoreFolder, log: SegmentLog?, files: FileTally,
    options: StoreOptions
  ) {
    path = folder.path
    number = contents.store
    self.options = options
    report = contents.report
    working = contents.document
    identity = contents.identity
    sealsBefore = contents.seals
    local = contents.local
    localRecords = LocalRecords(contents.local)
    settings = contents.local.settings
    outbox = OutboxMachine(
      restoring: contents.local, settings: options.outbox, at: options.clock.milliseconds)
    serverVersions = ServerVersions(contents.local)
    outcomes = OperationOutcomes(contents.local)
    clock = HybridLogicalClock(
      replica: identity.replica,
      resuming: HybridTimestamp(time: identity.clockTime, replica: identity.replica),
      driftMaxMilliseconds: options.clockDriftMaxMilliseconds)
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
    monitor.withLock { committed ?? working }
  }

  /// What readers see; the monitor is held.
  var seen: RecordReader {
    if committed == nil { working.prepareForReading() }
    return RecordReader(
      document: committed ?? working,
      localRecords: committed == nil ? localRecords : committedLocalRecords ?? localRecords)
  }

  /// Keeps what readers see: what follows isn't seen before it is durable.
  func keepSeen() {
    guard committed == nil else { return }
    committed = working
    committedLocalRecords = localRecords
    committedSettings = settings
  }

  /// Refuses what nothing can be done with any more.
  func checkOpen() throws(StoreError) {
    if monitor.withLock({ isClosing }) { throw .closed(path: path) }
  }

  /// Refuses what can't be committed now.
  func checkWritable() throws(StoreError) {
    if let failure { throw failure }
    if isClosing { throw .closed(path: path) }
    guard log != nil else { throw .readOnly(path: path) }
    // What is planned now would rest on something else.
    if monitor.allowsReads { throw .writing(path: path) }
  }
}

extension StoreCore {
  /// Writes what waits, notes that the store ends in good order, and gives the
  /// folder back.
  ///
  /// Closing what is closed does nothing.
  func close() throws(StoreError) {
    monitor.lock()
    defer { monitor.unlock() }
    if isClosing {
      while folder != nil { monitor.wait(for: .done) }
      return
    }
    // From here on nobody commits; who has, is waited for.
    isClosing = true
    monitor.ring(.work)
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
    monitor.ring(.done)
    if let failure { throw failure }
  }
}
