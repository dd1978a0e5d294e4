import CRDTKit

extension StoreCore {
  /// Begins a compaction if the log is as large as the snapshot that it builds on.
  ///
  /// So each committed byte is written once to the log and, amortised, at most once to
  /// snapshots.
  func compactIfDue() {
    guard options.compaction == .automatic, options.hasThreads, !isCompacting, failure == nil,
      !isClosing
    else { return }
    let log = files.bytes(from: manifest.firstLiveSegment)
    let snapshot = files.snapshots[manifest.snapshot] ?? 0
    guard log >= max(options.minimumCompactionBytes, snapshot), log >= retryLogBytes else { return }
    isCompacting = true
    let hasThread = StoreThread.start { [self] in
      do throws(StoreError) {
        try compactNow()
        tell(.compacted)
      } catch {
        let isClosed = monitor.withLock {
          retryLogBytes = 2 * files.bytes(from: manifest.firstLiveSegment)
          return isClosing
        }
        if !isClosed { tell(.compactionFailed(error)) }
      }
      endCompaction()
    }
    if !hasThread { isCompacting = false }
  }

  /// Writes a snapshot, and removes the files that it replaces; with `isResealing`, all
  /// files that were sealed before.
  func compact(isResealing: Bool = false) throws(StoreError) {
    monitor.lock()
    while isCompacting { monitor.wait(for: .done) }
    do throws(StoreError) { try checkWritable() } catch {
      monitor.unlock()
      throw error
    }
    isCompacting = true
    monitor.unlock()
    defer { endCompaction() }
    try compactNow(isResealing: isResealing && options.sealing != nil)
  }

  func endCompaction() {
    monitor.withLock {
      isCompacting = false
      monitor.signal(.done)
    }
  }

  private func compactNow(isResealing: Bool = false) throws(StoreError) {
    try purge()
    guard let folder else { throw .closed(path: path) }
    // Check this in advance, as far as possible: a segment begun in vain takes room too.
    try requireRoom(for: monitor.withLock { files.snapshots[manifest.snapshot] ?? 0 }, in: folder)
    let boundary = try beginSegment()
    let bytes = boundary.document.encoded()
    try requireRoom(for: bytes.count, in: folder)
    var next = manifest
    next.identity = boundary.identity
    next.snapshot += 1
    next.firstLiveSegment = boundary.segment
    next.line = boundary.line
    if isResealing {
      next.firstSealedSegment = next.firstLiveSegment
      next.firstSealedSnapshot = next.snapshot
    }
    next.firstSegment = firstNeededSegment(before: boundary.segment)
    if folder.sealing != nil {
      next.firstSegment = max(next.firstSegment, next.firstSealedSegment)
    }
    next.seals = monitor.withLock { sealsBefore } &+ folder.sealCount
    let size: Int
    do throws(StoreError) {
      size = try folder.writeSnapshot(
        next.snapshot, of: number, document: bytes, identity: next.identity,
        schema: next.schema, local: boundary.local, firstLiveSegment: next.firstLiveSegment,
        line: next.line)
      try folder.write(next, number: manifestNumber + 1, of: number)
    } catch {
      // After a failed synchronization it isn't known what is on disk.
      if case .stopped = error { monitor.withLock { stop(error) } }
      throw error
    }
    let previous = manifest
    monitor.withLock {
      manifest = next
      manifestNumber += 1
      retryLogBytes = 0
      files.snapshots[next.snapshot] = size
      files.otherBytesWritten += size
    }
    try removeNeedless(previous, folder)
  }

  private func requireRoom(for bytes: Int, in folder: StoreFolder) throws(StoreError) {
    let (free, needed) = (try folder.freeBytes(), bytes + options.minimumFreeBytes)
    guard free >= needed else { throw .noSpace(free: free, needed: needed) }
  }

  /// The state that a snapshot is made of.
  private struct Boundary {
    var document: Document
    var identity: StoreIdentity
    var local: LocalValues
    /// The first segment whose changes are not in the document.
    var segment: UInt64
    /// The line of history that the segment begins in.
    var line: UInt64
  }

  /// Begins a new segment, and returns the document as it is before it.
  private func beginSegment() throws(StoreError) -> Boundary {
    monitor.lock()
    defer { monitor.unlock() }
    while isWriting { monitor.wait(for: .done) }
    try checkWritable()
    let (document, local) = (working.document, local)
    var identity = identity
    identity.clockTime = clock.latest.time
    if let failure = writeBatch(isBoundary: true) { throw failure }
    guard let log else { throw .closed(path: path) }
    return Boundary(
      document: document, identity: identity, local: local, segment: log.number,
      line: log.line)
  }

  /// Permanently removes records that were deleted long ago, if all peers know, together
  /// with what the store keeps of them for the server.
  private func purge() throws(StoreError) {
    try purgeRecords()
    monitor.withLock { if failure == nil, !isClosing { forgetPurgedRecords() } }
  }

  private func purgeRecords() throws(StoreError) {
    let (known, replicas) = monitor.withLock {
      (versionKnownToPeers(), Set(waitedForPeers.map(\.replica) + [identity.replica]))
    }
    let retention = options.deletionRetention
    // Try it on a copy first: there is seldom something to purge, and finding out takes
    // time.
    var copy = monitor.withLock { working.document }
    // The stamp is made up: a trial must not change the stamps of commits.
    var clock = monitor.withLock { self.clock }
    let stamp = clock.now(wallMilliseconds: options.clock.milliseconds)
    let delta = copy.edit(at: stamp) {
      _ = $0.purge(retention: retention, seenByAll: known, of: replicas)
    }
    guard !delta.isEmpty else { return }
    do throws(StoreError) {
      let (_, commit) = try edit(.full, isUpkeep: true) {
        $0.purge(retention: retention, seenByAll: known, of: replicas)
      }
      if let commit { try waitUntilDurable(commit) }
    } catch {
      // At its limit, the store needs the snapshot all the more.
      guard case .storageLimit = error else { throw error }
    }
  }

  /// Removes files that neither this generation nor the previous one needs.
  ///
  /// The previous generation stays, so that somebody who copies the folder meanwhile finds
  /// the files that their copy of the manifest names, and as a fallback. But if the store
  /// is sealed, unsealed files are removed at once.
  private func removeNeedless(_ previous: Manifest, _ folder: StoreFolder) throws(StoreError) {
    let listing = try FileListing(folder)
    var firstSegment = min(previous.firstLiveSegment, manifest.firstSegment)
    var firstSnapshot: UInt64 = 0
    if folder.sealing != nil {
      firstSegment = max(firstSegment, manifest.firstSealedSegment)
      firstSnapshot = manifest.firstSealedSnapshot
    }
    for number in listing.segments where number < firstSegment {
      try folder.remove(FileNames.segment(number), in: folder.segments)
      monitor.withLock { _ = files.segments.removeValue(forKey: number) }
    }
    for number in listing.snapshots
    where number != manifest.snapshot
      && (number != previous.snapshot || number < firstSnapshot)
    {
      try folder.remove(FileNames.snapshot(number), in: folder.snapshots)
      monitor.withLock { _ = files.snapshots.removeValue(forKey: number) }
    }
  }
}

extension StoreCore {
  /// Copies everything that is durable into a new folder.
  func backUp(to target: String) throws(StoreError) {
    let source = try holdFiles()
    defer { endCompaction() }
    let copy = try StoreFolder(
      target, in: options.fileSystem, creating: .everything, isReadOnly: false,
      sealing: options.sealing)
    defer { copy.close() }
    guard try copy.names(in: copy.segments).isEmpty, try copy.names(in: copy.snapshots).isEmpty,
      try copy.readManifest() == nil
    else { throw .alreadyExists(path: target) }
    let (manifest, manifestNumber, sizes, snapshotSizes) = monitor.withLock {
      (self.manifest, self.manifestNumber, files.segments, files.snapshots)
    }
    if manifest.snapshot > 0 {
      let name = FileNames.snapshot(manifest.snapshot)
      guard let file = try source.open(name, in: source.snapshots, for: .reading) else {
        throw missing(source.path(of: name, in: source.snapshots))
      }
      defer { file.close() }
      let bytes = try file.read(0..<(snapshotSizes[manifest.snapshot] ?? 0))
      try copy.replace(name, in: copy.snapshots, with: [bytes]).close()
    }
    for segment in sizes.keys.sorted() where segment >= manifest.firstLiveSegment {
      let name = FileNames.segment(segment)
      // Of the segment that is being written, copy what was durable when the backup began.
      guard let file = try source.open(name, in: source.segments, for: .reading) else {
        throw missing(source.path(of: name, in: source.segments))
      }
      defer { file.close() }
      let bytes = try file.read(0..<(sizes[segment] ?? 0))
      try copy.replace(name, in: copy.segments, with: [bytes]).close()
    }
    try copy.synchronizeNames(in: copy.root)
    try copy.synchronizeOwnName()
    // The manifest comes last: without it the copy is no store.
    var restored = manifest
    restored.firstSegment = manifest.firstLiveSegment
    try copy.write(restored, number: manifestNumber, of: number)
  }

  private func missing(_ path: String) -> StoreError {
    .damaged(path: path, offset: 0, reason: "the file is missing")
  }
}
