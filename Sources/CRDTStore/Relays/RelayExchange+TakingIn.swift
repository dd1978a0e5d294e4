import CRDTKit

extension RelayExchange {
  /// The number of bytes to receive before waiting until they are durable.
  private static let bytesBetweenWaits = 1 << 24

  /// Receives all deltas that are new here and whose bases are here, and waits until they
  /// are durable.
  func takeIn(_ root: RelayFolder, _ report: inout Store.SyncReport) throws(StoreError) {
    var version = core.monitor.withLock { core.working.document.version }
    // The shortest come first. A long one that holds the same and more is for stores that
    // lack more.
    let news = catalogue.entries.values.filter {
      $0.file.hasDelta && $0.isNews(to: version)
    }.sorted { ($0.size, $0.file.key.sequence) < ($1.size, $1.file.key.sequence) }
    var queue = BaseQueue(news, base: \.file.base, at: version)
    var bytes = 0
    while let entry = queue.removeFirst() {
      guard entry.isNews(to: version) else { continue }
      if let size = try takeIn(entry, root, version, &report) {
        report.deltasTaken += 1
        report.bytesTaken += size
        bytes += size
        version = core.monitor.withLock { core.working.document.version }
        queue.advance(to: version)
      }
      if bytes >= Self.bytesBetweenWaits {
        try waitUntilDurable()
        bytes = 0
      }
    }
    for entry in queue.rest where entry.forks.isEmpty && !version.contains(entry.file.version) {
      report.missing.merge(entry.file.base.subtracting(version))
    }
    if report.deltasTaken > 0 { try waitUntilDurable() }
  }

  private func waitUntilDurable() throws(StoreError) {
    try core.waitUntilDurable(core.monitor.withLock { core.appended })
  }

  /// Receives the delta of one file; returns its size, or `nil` if it was not received.
  private func takeIn(
    _ entry: RelayCatalogue.Entry, _ root: RelayFolder, _ version: VersionVector,
    _ report: inout Store.SyncReport
  ) throws(StoreError) -> Int? {
    let folderName = RelayNames.folder(entry.file.key.writer)
    let path = "\(root.path)/\(folderName)/\(entry.name)"
    let room = memoryLeft[entry.file.key.writer] ?? options.maximumFileMemoryBytes
    guard entry.file.deltaSize <= UInt64(max(room, 0)) else {
      catalogue.entries[entry.file.key]?.isDamaged = true
      report.note(.damaged("\(memoryRefusal(at: entry.deltaStart))"), at: path)
      return nil
    }
    var bytes: [UInt8]
    do throws(StoreError) {
      let folder = try RelayFolder(folderName, in: root, creating: false)
      defer { folder.close() }
      let found = try folder.bytes(
        of: entry.name, from: entry.deltaStart, count: entry.file.deltaSize)
      guard let found else { return nil }
      bytes = found
    } catch {
      if case .notFound = error { return nil }
      if case .damaged(_, _, let reason) = error {
        catalogue.entries[entry.file.key]?.isDamaged = true
        report.note(.damaged(reason), at: path)
        return nil
      }
      guard case .system(let cause, _) = error else { throw error }
      report.note(.unreadable(cause), at: path)
      return nil
    }
    let delta: TableDelta<Document>
    do throws(DecodingFailure) {
      try Self.check(bytes, of: entry.file)
    } catch {
      catalogue.entries[entry.file.key]?.isDamaged = true
      report.note(.damaged("\(error)"), at: path)
      return nil
    }
    do throws(StoreError) {
      bytes = try root.openedContent(bytes, in: entry.head, at: path, offset: entry.deltaStart)
    } catch {
      guard case .damaged(_, _, let reason) = error else { throw error }
      catalogue.entries[entry.file.key]?.isDamaged = true
      report.note(.damaged(reason), at: path)
      return nil
    }
    do throws(DecodingFailure) {
      delta = try decode(bytes, of: entry.file, in: room)
      catalogue.entries[entry.file.key]?.isDamaged = false
    } catch {
      catalogue.entries[entry.file.key]?.isDamaged = true
      report.note(.damaged("\(error)"), at: path)
      return nil
    }
    let replicas = version.merging(entry.file.version).count
    guard replicas <= options.maximumReplicas else {
      report.note(.damaged("it would make \(replicas) replicas known here"), at: path)
      return nil
    }
    do throws(StoreError) {
      try core.apply(
        [delta], received: bytes, isOfKnownDocument: entry.file.document != nil)
      catalogue.entries[entry.file.key]?.isTaken = true
      return bytes.count
    } catch {
      if case .delta(.fork(let replica)) = error {
        refusedForks.insert(replica)
        core.noteForks(of: [replica])
      }
      switch error {
      case .clockDrift, .delta: report.note(.refused(error), at: path)
      default: throw error
      }
      return nil
    }
  }

  /// Checks that bytes are the ones that a file's head describes.
  private static func check(
    _ bytes: [UInt8], of file: RelayFile
  ) throws(DecodingFailure) {
    guard UInt64(bytes.count) == file.deltaSize,
      SnapshotFile.checksum(of: bytes) == file.deltaChecksum
    else { throw DecodingFailure(.damaged, at: bytes.count) }
  }

  /// Decodes a delta, which must be the one that its file's head describes.
  private func decode(
    _ bytes: [UInt8], of file: RelayFile, in room: Int
  ) throws(DecodingFailure) -> TableDelta<Document> {
    // The delta's bytes take memory too, until it is applied.
    let roomBeside = max(0, room - bytes.count)
    var left = roomBeside
    let delta: TableDelta<Document>
    do throws(DecodingFailure) {
      delta = try TableDelta<Document>(decoding: bytes, memoryLeft: &left)
    } catch {
      guard error.reason == .memoryExceeded(max: roomBeside) else { throw error }
      throw memoryRefusal(at: error.offset)
    }
    memoryLeft[file.key.writer] = room - (roomBeside - left)
    guard delta.base == file.base, delta.base.merging(delta.version) == file.version else {
      throw DecodingFailure(.invalidValue("its head is another's"), at: 0)
    }
    guard file.heads?.agree(with: delta) ?? true else {
      throw DecodingFailure(.invalidValue("its events are others than its head tells of"), at: 0)
    }
    return delta
  }

  func memoryRefusal(at offset: Int) -> DecodingFailure {
    DecodingFailure(.memoryExceeded(max: options.maximumFileMemoryBytes), at: offset)
  }
}
