import CRDTKit

extension StoreCore {
  /// The maximum number of times a store is read while another process writes it.
  ///
  /// At each moment the files are those of a sound store, but they are not all read at the
  /// same moment.
  private static let readingsMax = 20

  /// Opens the store in a folder, or creates one if that is allowed.
  static func open(
    _ path: String, schema: Schema?, options: Store.Options
  ) throws(StoreError) -> StoreCore {
    var readings = 0
    while true {
      readings += 1
      let folder = try folder(at: path, options: options)
      do throws(StoreError) {
        return try open(in: folder, schema: schema, options: options)
      } catch {
        // The writer may have replaced files meanwhile.
        guard folder.isBesideWriter, readings < readingsMax else { throw error }
      }
    }
  }

  private static func folder(
    at path: String, options: Store.Options
  ) throws(StoreError) -> StoreFolder {
    let isReadOnly = options.access == .readOnly
    return try StoreFolder(
      path, in: options.fileSystem,
      creating: options.createsIfMissing && !isReadOnly ? .everything : .nothing,
      isReadOnly: isReadOnly, mayBeUnlocked: isReadOnly && options.readsBesideWriter,
      sealing: options.sealing, adoptsUnsealed: options.adoptsUnsealedFiles)
  }

  private static func open(
    in folder: StoreFolder, schema: Schema?, options: Store.Options
  ) throws(StoreError) -> StoreCore {
    do throws(StoreError) {
      let core = try open(folder, schema: schema, options: options)
      core.monitor.withLock { core.beginClock() }
      do throws(StoreError) {
        try core.checkDocument()
        try core.migrateIfNeeded()
        try core.sealAllIfNeeded()
      } catch {
        core.log?.close()
        throw error
      }
      return core
    } catch {
      folder.close()
      throw error
    }
  }

  private static func open(
    _ folder: StoreFolder, schema: Schema?, options: Store.Options
  ) throws(StoreError) -> StoreCore {
    let isReadOnly = options.access == .readOnly
    var found = try StoreContents.read(folder)
    if found == nil {
      guard options.createsIfMissing, !isReadOnly else { throw .notFound(path: folder.path) }
      try folder.create(
        store: options.makeStoreNumber(), line: options.makeLine(),
        replica: options.makeReplica(),
        document: options.newDocument, schema: schema ?? Schema())
      found = try StoreContents.read(folder)
    }
    guard var contents = found else { throw .notFound(path: folder.path) }
    if contents.identity.schemaVersion > options.schemaVersion, options.schemaVersion > 0 {
      throw .newerSchema(
        found: contents.identity.schemaVersion, supported: options.schemaVersion)
    }
    if let schema { contents.document.schema = schema }
    guard !isReadOnly else {
      let files = try FileTally(folder, FileListing(folder), needing: contents.manifest)
      return StoreCore(contents, folder, log: nil, files: files, options: options)
    }
    let place = folder.home.place(ofHome: contents.identity.home)
    if place == .elsewhere {
      contents.report.isCopy = true
      contents.report.formerReplica = contents.identity.replica
    }
    let files = try FileTally(folder, FileListing(folder), needing: contents.manifest)
    do throws(StoreError) {
      // This comes before anything removes unfinished files.
      if contents.isManifestUnfinished { try folder.finishManifest() }
      try replaceManifest(folder, &contents, schema)
      let log = try repair(folder, contents, line: options.makeLine())
      let core = StoreCore(contents, folder, log: log, files: files, options: options)
      if folder.sealing != nil { core.batch.add(.line(log.line, after: contents.line)) }
      switch place {
      case .home: core.beginStretch()
      case .earlierHome:
        core.recordHome()
        core.beginStretch()
      case .elsewhere: core.takeNewReplica()
      }
      if contents.lastSegment.isOld { try core.leaveOldSegment() }
      return core
    } catch {
      guard let (cause, path) = error.lackOfSpace else { throw error }
      // A full disk must not prevent users from reading their data.
      let core = StoreCore(contents, folder, log: nil, files: files, options: options)
      core.failure = .stopped(cause, path: path)
      return core
    }
  }

  /// Replaces the manifest if the schema has changed, or if it is to be sealed, which comes
  /// before sealing anything else.
  private static func replaceManifest(
    _ folder: StoreFolder, _ contents: inout StoreContents, _ schema: Schema?
  ) throws(StoreError) {
    let isToBeSealed = folder.sealing != nil && !contents.manifest.isSealed
    let schema = schema ?? contents.manifest.schema
    guard isToBeSealed || contents.manifest.schema != schema else { return }
    if isToBeSealed {
      contents.manifest.firstSealedSegment = contents.lastSegment.number + 1
      contents.manifest.firstSealedSnapshot = contents.manifest.snapshot + 1
    }
    contents.manifest.schema = schema
    contents.manifestNumber += 1
    try folder.write(contents.manifest, number: contents.manifestNumber, of: contents.store)
  }

  /// Makes everything that was read durable, and sets aside the bytes of an interrupted
  /// write.
  ///
  /// What was read may never have reached the disk. After a crash of the process, or after
  /// a disk error that the system reported only to a process that has since ended, it may
  /// be in memory only. This can be the case only for the last frame, so that frame is
  /// written again in its place.
  private static func repair(
    _ folder: StoreFolder, _ contents: StoreContents, line: UInt64
  ) throws(StoreError) -> SegmentLog {
    let segment = contents.lastSegment
    let name = FileNames.segment(segment.number)
    // This comes first, since it may free the room that the rest needs.
    try folder.sweep()
    if !segment.tornBytes.isEmpty {
      try folder.setAside(segment.tornBytes, from: name, at: segment.lastFrame.upperBound)
    }
    guard let file = try folder.open(name, in: folder.segments, for: .writing) else {
      throw .damaged(
        path: folder.path(of: name, in: folder.segments), offset: 0, reason: "the file is missing")
    }
    do throws(StoreError) {
      if !segment.tornBytes.isEmpty { try file.truncate(to: segment.lastFrame.upperBound) }
      try file.write(segment.lastFrameBytes, at: segment.lastFrame.lowerBound)
      try file.synchronize()
      try folder.synchronizeNames(in: folder.segments)
      try folder.synchronizeNames(in: folder.snapshots)
      try folder.synchronizeNames(in: folder.root)
    } catch {
      file.close()
      throw error
    }
    return SegmentLog(
      file, in: folder, number: segment.number, size: segment.lastFrame.upperBound,
      of: contents.store, version: segment.version, line: line)
  }

  /// Begins a segment of the present format, for records that an older version couldn't
  /// read, or that are to be sealed.
  private func leaveOldSegment() throws(StoreError) {
    monitor.lock()
    defer { monitor.unlock() }
    if let failure = writeBatch(isBoundary: true) { throw failure }
  }

  /// Seals all unsealed files, if a store is adopted that wasn't sealed.
  ///
  /// If there is no room for that, it waits for the next opening.
  private func sealAllIfNeeded() throws(StoreError) {
    guard report.wasUnsealed, log != nil, failure == nil else { return }
    do throws(StoreError) { try compact() } catch {
      if case .noSpace = error { return }
      guard error.lackOfSpace != nil else { throw error }
    }
  }

  /// Migrates the records to the app's version of the schema.
  private func migrateIfNeeded() throws(StoreError) {
    let (found, wanted) = (identity.schemaVersion, options.schemaVersion)
    guard log != nil, found < wanted else { return }
    let isNew = working.document.version.isEmpty
    monitor.lock()
    do {
      keepSeen()
      let delta = try working.document.edit(at: nextStamp()) {
        if !isNew { try options.migrate(found, &$0) }
      }
      identity.schemaVersion = wanted
      batch.add(.schemaVersion(wanted))
      appended += 1
      if !delta.isEmpty {
        batch.add(delta, to: working.document.version, clockTime: clock.latest.time)
      }
      monitor.unlock()
    } catch {
      monitor.unlock()
      throw .migrationFailed(from: found, to: wanted, reason: "\(error)")
    }
    try waitUntilDurable(appended)
  }

  /// Makes the store write as another replica: otherwise, events written elsewhere and here
  /// under the old one would have the same dots.
  ///
  /// The monitor is held, or nobody else uses the store yet.
  func takeNewReplica() {
    let former = identity.replica
    identity.replica = options.makeReplica()
    clock = HybridLogicalClock(
      replica: identity.replica, resuming: clock.latest, maximumDrift: clock.maximumDrift)
    recordHome()
    beginStretch()
    tell(.tookNewReplica(old: former, new: identity.replica))
  }

  /// Makes new events distinguishable from those that another place may write under the
  /// same name.
  private func beginStretch() {
    guard let nonce = options.makeStretchNonce() else { return }
    working.document.beginStretch(of: identity.replica, nonce: nonce)
  }

  /// Notes that the replica writes in this folder.
  ///
  /// The note is written with the next commit, or when the store is closed. If the store is
  /// opened again before that, the same note is made again.
  private func recordHome() {
    identity.home = folder?.home.value ?? identity.home
    batch.add(.replica(identity.replica, home: identity.home))
    appended += 1
  }
}
