import CRDTKit

extension RelayExchange {
  /// Writes the changes that the folder lacks, and the version that the store has received.
  func publish(
    _ root: RelayFolder, all: Bool, _ report: inout Store.SyncReport
  ) throws(StoreError) {
    let (document, identity, own, commit) = core.monitor.withLock {
      (core.working.document, core.ownDocument, core.identity.replica, core.appended)
    }
    // A crash must not take back what others have seen.
    try core.waitUntilDurable(commit)
    let isWhole = all || lacksWholeFile || isToMend(at: document.version)
    let base = isWhole ? [:] : baseToPublish(for: document.version, own)
    var file = RelayFile(
      key: RelayFile.Key(writer: own, sequence: 0),
      milliseconds: core.options.clock.milliseconds, version: document.version,
      known: catalogue.newestDeltas(except: own), retired: retiredMarks(own))
    let last = catalogue.newest[own]
    // An empty store takes the document of the first files that it finds.
    file.document = identity?.isOpen == true ? nil : identity
    for replica in refusedForks { file.wanted[replica] = document.version[replica] }
    // Files that are gone since are known all the same.
    if let last { file.known.merge(last.known) }
    var bytes: [UInt8] = []
    if let base, !document.version.isEmpty {
      let delta = try core.delta(of: document, since: base)
      file.base = delta.base
      bytes = delta.encoded()
    }
    if !bytes.isEmpty || isDue(file, after: last) {
      file.digest = document.contentDigest.short
      file.heads = VersionHeads(of: document)
      try write(&file, bytes, root)
      retiring = []
    }
    if file.hasDelta {
      report.deltasSent += 1
      report.bytesSent += bytes.count
    }
    tidy(root, own)
  }

  /// Whether values were written anew, and no file holds everything since then.
  ///
  /// Older files have stamps in the future and are refused, so nothing that builds on them
  /// can be received.
  private var lacksWholeFile: Bool {
    guard let last = core.monitor.withLock({ core.lastRestamping }) else { return false }
    return !catalogue.deltas.contains { $0.file.base.isEmpty && $0.file.version.contains(last) }
  }

  /// The version from which to publish a delta; `nil` for none.
  private func baseToPublish(for version: VersionVector, _ own: ReplicaID) -> VersionVector? {
    let (covered, reached) = catalogue.covered()
    let hasNews = !covered.contains(version)
    let live = catalogue.deltas.map(\.file).filter { file in
      file.key.writer == own && reached.contains(file.key)
        && catalogue.superseding(file).isEmpty
    }.sorted { $0.key.sequence > $1.key.sequence }
    var (merged, size): (VersionVector?, UInt64) = (nil, 0)
    var count = hasNews ? 1 : 0
    for file in live {
      guard merged == nil || file.deltaSize <= size else { break }
      merged = merged?.common(with: file.base) ?? file.base
      size += file.deltaSize
      count += 1
    }
    if count >= max(options.minimumMergedFiles, 2), let merged {
      return merged.common(with: covered)
    }
    return hasNews ? covered : nil
  }

  /// Whether a file without a delta has information that the last one lacks.
  private func isDue(_ file: RelayFile, after last: RelayFile?) -> Bool {
    guard let last else { return true }
    let age = Int128(file.milliseconds) - Int128(last.milliseconds)
    return file.version != last.version || file.known != last.known
      || file.retired != last.retired || file.document != last.document
      || file.wanted != last.wanted
      || catalogue.retired().contains(file.key.writer)
      || age >= max(options.heartbeat.wholeMilliseconds, 1)
  }

  /// The replicas that this one has retired and that have not come back, and those that it
  /// is about to retire.
  private func retiredMarks(_ own: ReplicaID) -> VersionVector {
    let newest = catalogue.newest
    var marks: VersionVector = [:]
    for mark in newest[own]?.retired ?? [:]
    where newest[mark.replica]?.key.sequence ?? 0 <= mark.counter {
      marks[mark.replica] = mark.counter
    }
    for replica in retiring where replica != own {
      // A replica without a file can't be distinguished from one that comes later.
      if let sequence = newest[replica]?.key.sequence { marks[replica] = sequence }
    }
    return marks
  }

  /// The number of the next file.
  ///
  /// Numbers follow the time, so that no number is used twice, even if somebody has emptied
  /// the folder. Existing names are skipped: a file that can't be opened here may be whole,
  /// and may have been read, elsewhere.
  ///
  /// - Complexity: O(*n*) in the names of the subfolder, at most.
  private func nextSequence(at milliseconds: UInt64) -> UInt64 {
    var sequence = min(max(lastSequence + 1, milliseconds, 1), RelayFile.sequenceMax)
    while sequence < RelayFile.sequenceMax, ownNames.contains(RelayNames.file(sequence)) {
      sequence += 1
    }
    return sequence
  }

  private func write(
    _ file: inout RelayFile, _ delta: [UInt8], _ root: RelayFolder
  ) throws(StoreError) {
    file.key.sequence = nextSequence(at: file.milliseconds)
    let name = RelayNames.file(file.key.sequence)
    let path = "\(root.path)/\(RelayNames.folder(file.key.writer))/\(name)"
    var fileHead = root.head(.relay, store: file.key.writer.rawValue, number: file.key.sequence)
    fileHead.document = file.document?.id
    let stored = delta.isEmpty ? [] : try root.sealedContent(delta, in: fileHead, at: path)
    file.deltaSize = UInt64(stored.count)
    file.deltaChecksum = SnapshotFile.checksum(of: stored)
    let head = try root.file(fileHead, framing: file.encodedHead, at: path)
    guard head.count + stored.count <= options.maximumFileBytes else {
      throw .tooLarge(bytes: head.count + stored.count, max: options.maximumFileBytes)
    }
    let folder = try RelayFolder(RelayNames.folder(file.key.writer), in: root, creating: true)
    defer { folder.close() }
    if lastSequence == 0 { try root.synchronizeNames(in: root.handle) }
    lastSequence = file.key.sequence
    ownNames.insert(name)
    try folder.replace(name, in: folder.handle, with: [head, stored]).close()
    catalogue.entries[file.key] = RelayCatalogue.Entry(
      file: file, head: fileHead, name: name, deltaStart: head.count,
      memory: MemoryLayout<RelayCatalogue.Entry>.stride + head.count)
  }
}

extension RelayExchange {
  /// Removes files of this replica that nobody needs any more.
  ///
  /// Those that can't be removed now are removed another time.
  private func tidy(_ root: RelayFolder, _ own: ReplicaID) {
    let entries = catalogue.entries.values.filter { $0.file.key.writer == own }
    let needless = entries.filter { isNeedless($0.file, own) }
    guard let folder = try? RelayFolder(RelayNames.folder(own), in: root, creating: false) else {
      return
    }
    defer { folder.close() }
    for entry in needless where (try? folder.remove(entry.name, in: folder.handle)) != nil {
      catalogue.entries[entry.file.key] = nil
    }
    // The sealed files hold everything that this replica's unsealed files hold.
    for name in ownUnsealed { try? folder.remove(name, in: folder.handle) }
    ownUnsealed = []
    // Remove the unfinished files that a crash has left. The newest name is written next.
    for name in (try? folder.names()) ?? [] where name.hasSuffix(FileNames.unfinished) {
      let finished = String(name.dropLast(FileNames.unfinished.count))
      if RelayNames.sequence(finished) != nil { try? folder.remove(name, in: folder.handle) }
    }
  }

  private func isNeedless(_ file: RelayFile, _ own: ReplicaID) -> Bool {
    let newest = catalogue.newest
    // The newest file holds the version that this replica has received.
    guard let last = newest[own], file.key != last.key else { return false }
    guard file.hasDelta else { return true }
    let retired = catalogue.retired()
    let others = newest.values.filter {
      $0.key.writer != own && !retired.contains($0.key.writer)
    }
    let now = Int128(core.options.clock.milliseconds)
    let grace = max(options.gracePeriod.wholeMilliseconds, 0)
    return betterFiles(than: file).contains { better in
      let isKnown = others.allSatisfy { other in
        other.key.writer == better.key.writer
          || other.known[better.key.writer] >= better.key.sequence
      }
      return isKnown || now >= Int128(max(file.milliseconds, better.milliseconds)) + grace
    }
  }

  /// The files that make one obsolete: for a line that has another name now, those with
  /// everything that their writer has seen.
  private func betterFiles(than file: RelayFile) -> [RelayFile] {
    guard let entry = catalogue.entries[file.key], !entry.forks.isEmpty else {
      return catalogue.superseding(file)
    }
    guard entry.isMended == true else { return [] }
    return catalogue.deltas.map(\.file).filter {
      $0.base.isEmpty && $0.key.writer == file.key.writer && $0.key.sequence > file.key.sequence
    }
  }
}
