import CRDTKit

/// A store's work with a relay's folder: it reads what others have written there, and
/// writes what nobody has.
///
/// Each round determines the folder's contents from the folder itself: the version that a
/// replica reaches if it receives all files. It then publishes whatever the store has
/// beyond that. So nothing needs to be remembered, and the next store that syncs replaces
/// lost files.
final class RelayExchange: @unchecked Sendable {
  let core: StoreCore
  let path: String
  let options: FolderRelay.Options
  private let monitor = Monitor()
  /// The files found in the last round: they needn't be read again.
  private let known = Locked(RelayCatalogue())

  // All of these are guarded by the monitor.

  var catalogue = RelayCatalogue()
  /// The newest file of each replica when this relay last read the folder.
  var heard: [ReplicaID: UInt64] = [:]
  /// The retired replicas that the store has already forgotten, with their marks.
  var forgotten: [ReplicaID: UInt64] = [:]
  /// The replicas that the app wants to retire, and that aren't retired yet.
  var retiring: Set<ReplicaID> = []
  /// The replicas of which something was refused in this round, because two places have
  /// written under their names.
  var refusedForks: Set<ReplicaID> = []
  /// The memory that each replica's files may still take in this round.
  var memoryLeft: [ReplicaID: Int] = [:]
  /// The highest number of a file of each replica that could not be read in this round.
  var unread: [ReplicaID: UInt64] = [:]
  /// The highest number among the store's own files that could be opened.
  var lastSequence: UInt64 = 0
  /// A sealed file of a replica that has no others, while this store has no key and none of
  /// its own files is there.
  ///
  /// The store then receives what it can, and publishes nothing.
  var sealedBeside: String?
  /// All names in the store's own subfolder, when the relay last read it.
  var ownNames: Set<String> = []
  /// The store's own unsealed files that were found, while all files are to be sealed.
  var ownUnsealed: [String] = []

  init(core: StoreCore, path: String, options: FolderRelay.Options) {
    self.core = core
    self.path = path
    self.options = options
  }

  var replica: ReplicaID { core.monitor.withLock { core.identity.replica } }

  /// Receives what is there, and publishes what isn't, or everything again in one file.
  func round(publishingAll publishesAll: Bool = false) throws(StoreError) -> Store.SyncReport {
    try monitor.withLock { () throws(StoreError) in
      do throws(StoreError) { return try runRound(publishesAll) } catch {
        // The relay's folder could not be written: the store itself goes on.
        guard case .stopped(let cause, let path) = error,
          core.monitor.withLock({ core.failure }) == nil
        else { throw error }
        throw .system(cause, path: path)
      }
    }
  }

  private func runRound(_ publishesAll: Bool) throws(StoreError) -> Store.SyncReport {
    try core.monitor.withLock { () throws(StoreError) in
      try core.checkWritable()
      try core.checkCountsOnce()
    }
    let root = try RelayFolder(
      path, in: core.options.fileSystem, sealing: options.sealing)
    defer { root.close() }
    // The number is the same by whatever path another relay of the store opens the folder.
    let number = try attempt(path) { () throws(SystemError) in
      try core.options.fileSystem.identity(of: root.handle).number
    }
    return try core.folderTurns.take(number) { () throws(StoreError) in
      try runRound(publishesAll, in: root)
    }
  }

  private func runRound(
    _ publishesAll: Bool, in root: RelayFolder
  ) throws(StoreError) -> Store.SyncReport {
    var report = Store.SyncReport()
    refusedForks = []
    memoryLeft = [:]
    unread = [:]
    try scan(root, &report)
    known.withLock { $0 = catalogue }
    lookForForks()
    try takeNewReplicaIfNeeded()
    try takeIn(root, &report)
    if report.deltasTaken > 0 { lookForForks() }
    notePeers()
    if let sealedBeside { throw .sealed(path: sealedBeside) }
    try publish(root, all: publishesAll, &report)
    let isMended = noteForks(root, &report)
    let version = core.monitor.withLock { core.working.document.version }
    report.isSynchronized =
      report.missing.isEmpty && isMended && !hasUnreadNews
      && catalogue.entries.values.allSatisfy {
        !$0.file.hasDelta || !$0.forks.isEmpty || version.contains($0.file.version)
      }
      && catalogue.covered().version.contains(version)
    return report
  }

  /// Whether a file that could not be read may be newer than all of its writer's that could.
  private var hasUnreadNews: Bool {
    let newest = catalogue.newest
    return unread.contains { $0.value > newest[$0.key]?.key.sequence ?? 0 }
  }

  /// Continues as another replica if this one's identifier can't be used any longer.
  ///
  /// Either somebody has seen more of its events than are here, so the store is an older
  /// copy. Or its file numbers are used up: a file must not be overwritten, since it is
  /// read once.
  private func takeNewReplicaIfNeeded() throws(StoreError) {
    try core.monitor.withLock { () throws(StoreError) in
      let replica = core.identity.replica
      let seen = core.working.document.version[replica]
      let isCopy = catalogue.entries.values.contains {
        $0.file.version[replica] > seen || $0.forks.contains { $0.isName(of: replica) }
      }
      guard isCopy || lastSequence >= RelayFile.sequenceMax else { return }
      try core.checkWritable()
      core.takeNewReplica()
      lastSequence = 0
      ownNames = []
    }
  }

  /// The replicas whose files are there, even while a round is under way.
  func peers() throws(StoreError) -> [FolderRelay.Peer] {
    let root = try RelayFolder(path, in: core.options.fileSystem, sealing: options.sealing)
    defer { root.close() }
    // Rounds keep the lock while they wait for the disk.
    let looking = RelayExchange(core: core, path: path, options: options)
    looking.catalogue = known.withLock { $0 }
    var report = Store.SyncReport()
    try looking.scan(root, &report)
    let catalogue = looking.catalogue
    known.withLock { $0 = catalogue }
    let retired = catalogue.retired()
    return catalogue.newest.values.sorted { $0.key.writer < $1.key.writer }.map { file in
      FolderRelay.Peer(
        replica: file.key.writer, version: file.version,
        lastSeenMilliseconds: file.milliseconds, isRetired: retired.contains(file.key.writer))
    }
  }

  /// Publishes that nobody needs to wait for a replica any more.
  func retire(_ replica: ReplicaID) throws(StoreError) -> Store.SyncReport {
    monitor.withLock { _ = retiring.insert(replica) }
    return try round()
  }
}

extension RelayExchange {
  /// Notes in the store what others have received, so that it waits for them before it
  /// purges deletions that they haven't seen.
  func notePeers() {
    let own = replica
    let retired = catalogue.retired()
    let newest = catalogue.newest
    for (replica, file) in newest
    where replica != own && catalogue.entries[file.key]?.forks.isEmpty ?? true {
      if retired.contains(replica) {
        forget(replica, at: file.key.sequence)
      } else {
        note(file)
      }
      heard[replica] = file.key.sequence
    }
  }

  private func note(_ file: RelayFile) {
    let replica = file.key.writer
    let now = core.options.clock.milliseconds
    let (record, version) = core.monitor.withLock {
      (
        core.identity.peers.first { $0.replica == replica },
        core.knownPart(of: file.version, toPeer: replica)
      )
    }
    var peer =
      record ?? PeerRecord(replica: replica, version: [:], lastContactMilliseconds: 0)
    let isNews =
      record.map { !$0.version.contains(version) }
      ?? false || heard[replica].map { $0 < file.key.sequence } ?? false
    // A file that was there when the relay began may be old.
    let contact = isNews ? now : min(now, file.milliseconds)
    guard record == nil || isNews || contact > peer.lastContactMilliseconds else { return }
    let isRecorded = !peer.version.contains(version)
    peer.version.merge(version)
    peer.lastContactMilliseconds = max(peer.lastContactMilliseconds, contact)
    core.note(peer, isRecorded: isRecorded)
  }

  /// Stops waiting for a replica, once per retirement, since it may yet be in touch in
  /// another way.
  private func forget(_ replica: ReplicaID, at sequence: UInt64) {
    guard forgotten[replica] != sequence else { return }
    forgotten[replica] = sequence
    guard core.monitor.withLock({ core.identity.peers.contains { $0.replica == replica } }) else {
      return
    }
    // If the store can't be written now, it goes on waiting, which does no harm.
    _ = try? core.forget(replica)
  }
}
