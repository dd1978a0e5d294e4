import CRDTKit

/// The checked contents of a store's files: the document, the data beside it, and the
/// position where writing continues.
struct StoreContents {
  /// The number in the heads of all the store's files.
  var store: UInt64
  var manifest: Manifest
  /// The number in the manifest's head, which increases by one with each manifest.
  var manifestNumber: UInt64
  /// Whether the manifest still has its unfinished name.
  let isManifestUnfinished: Bool
  var document: Document
  var identity: StoreIdentity
  /// The values that the store keeps for itself.
  var local: LocalValues = [:]
  /// The segment that is being written.
  var lastSegment: Segment
  var report: RecoveryReport
  /// The line of history of the last sealed part.
  var line: UInt64 = 0
  /// The last events of the log.
  var frontier = LogFrontier()
  /// The number of seals with the present key, or one more for each segment.
  var seals: UInt64 = 0

  /// A segment that was read.
  struct Segment {
    var number: UInt64
    /// The range of the last whole frame.
    var lastFrame: Range<Int>
    /// The bytes after it, which were being written when everything stopped.
    var tornBytes: [UInt8]
    var lastFrameBytes: [UInt8]
    var wasClosed: Bool
    /// Whether the segment has an older format, or is not sealed although the store is to
    /// be: nothing new is written in it.
    var isOld = false
    var version = FileHead.version
  }
}

extension StoreContents {
  /// Reads the contents of a store's folder; `nil` if there never was a store.
  ///
  /// It changes nothing.
  static func read(_ folder: StoreFolder) throws(StoreError) -> StoreContents? {
    let listing = try FileListing(folder)
    guard let (bytes, isUnfinished) = try folder.readManifest() else {
      guard listing.isEmpty(folder) else {
        throw .damaged(
          path: folder.path(of: FileNames.manifest, in: folder.root), offset: 0,
          reason: "the file is missing")
      }
      return nil
    }
    let (head, manifest) = try Manifest.decode(bytes, in: folder, listing)
    var contents = StoreContents(
      store: head.store, manifest: manifest, manifestNumber: head.number,
      isManifestUnfinished: isUnfinished, document: Document(), identity: manifest.identity,
      lastSegment: Segment(
        number: 0, lastFrame: 0..<0, tornBytes: [], lastFrameBytes: [], wasClosed: false),
      report: RecoveryReport(), line: manifest.line,
      seals: manifest.seals)
    contents.report.wasUnsealed = try folder.takesUnsealed(manifest, listing)
    let first = try contents.readSnapshot(in: folder, listing)
    try contents.replay(from: first, in: folder, listing)
    contents.document.schema = manifest.schema
    contents.report.wasClosed =
      contents.lastSegment.wasClosed && contents.lastSegment.tornBytes.isEmpty
    contents.report.bytesSetAside = contents.lastSegment.tornBytes.count
    contents.report.isWritableByOthers = try attempt(folder.path) { () throws(SystemError) in
      try folder.fileSystem.isWritableByOthers(folder.root)
    }
    return contents
  }

  /// Reads the document of a snapshot, and returns the first segment to replay on it.
  private mutating func readSnapshot(
    in folder: StoreFolder, _ listing: FileListing
  ) throws(StoreError) -> UInt64 {
    guard manifest.snapshot > 0 else { return manifest.firstLiveSegment }
    for number in [manifest.snapshot] + listing.snapshots.sorted(by: >)
    where number <= manifest.snapshot {
      guard let read = try SnapshotFile.read(number, in: folder) else { continue }
      let path = folder.path(of: FileNames.snapshot(number), in: folder.snapshots)
      try folder.requireOwn(read.head, named: number, of: store, by: manifest, at: path)
      if number == manifest.snapshot { try require(read.snapshot.line, at: path) }
      line = read.snapshot.line
      if folder.sealing != nil, !read.head.isSealed { report.wasUnsealed = true }
      document = read.document
      identity = read.snapshot.identity
      local = read.snapshot.local
      report.usedOlderSnapshot = number < manifest.snapshot
      return read.snapshot.firstLiveSegment
    }
    throw .damaged(
      path: folder.path(of: FileNames.snapshot(manifest.snapshot), in: folder.snapshots),
      offset: 0, reason: "the file is missing")
  }

  /// Applies the changes of the live segments, in order.
  private mutating func replay(
    from first: UInt64, in folder: StoreFolder, _ listing: FileListing
  ) throws(StoreError) {
    var number = first
    var previousSize: Int?
    var reader = BatchReader()
    frontier = LogFrontier(document.version)
    // Segments that the manifest names must exist. Later ones may have been begun since.
    while listing.segments.contains(number) || number <= max(first, manifest.firstLiveSegment) {
      let name = FileNames.segment(number)
      let path = folder.path(of: name, in: folder.segments)
      guard let bytes = try folder.read(name, in: folder.segments) else {
        throw .damaged(path: path, offset: 0, reason: "the file is missing")
      }
      let scan = try Self.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      try folder.requireOwn(scan.file, named: number, of: store, by: manifest, at: path)
      if number == manifest.firstLiveSegment, line != manifest.line {
        throw .damaged(path: path, offset: 8, reason: Self.otherLine)
      }
      let (head, line) = try scan.head(of: bytes, in: folder, at: path)
      try require(line, at: path)
      if let previousSize, head.previousSize != UInt64(previousSize) {
        throw .damaged(
          path: folder.path(of: FileNames.segment(number - 1), in: folder.segments),
          offset: min(previousSize, Int(clamping: head.previousSize)),
          reason: "it should have \(head.previousSize) bytes and has \(previousSize)")
      }
      let isLast = !listing.segments.contains(number + 1)
      guard scan.ending == .whole || (isLast && scan.ending == .torn) else {
        throw .damaged(path: path, offset: scan.end, reason: "no whole commit begins there")
      }
      // The segment's head counts too.
      seals += scan.file.isSealed ? 1 : 0
      for batch in scan.batches {
        let opened = try folder.opened(batch, of: bytes, in: scan.file, at: path)
        seals += scan.file.isSealed && !opened.isOfFormerKey ? 1 : 0
        try take(opened, path: path, &reader)
      }
      previousSize = bytes.count
      if folder.sealing != nil, !scan.file.isSealed { report.wasUnsealed = true }
      if isLast {
        let last = scan.batches.last.map { $0.lowerBound - Frame.headSize } ?? 0
        lastSegment.number = number
        lastSegment.lastFrame = last..<scan.end
        lastSegment.lastFrameBytes = Array(bytes[last..<scan.end])
        lastSegment.tornBytes = Array(bytes[scan.end...])
        let versionMin = folder.sealing == nil ? FileHead.version : FileHead.sealedVersion
        lastSegment.isOld = scan.file.version < versionMin
        lastSegment.version = scan.file.version
        if scan.batches.isEmpty { lastSegment.wasClosed = false }
      }
      number += 1
    }
    if let orphan = listing.segments.filter({ $0 > number }).min() {
      throw .damaged(
        path: folder.path(of: FileNames.segment(number), in: folder.segments), offset: 0,
        reason: "the file is missing, and there is a segment \(orphan)")
    }
  }

  private static var otherLine: String { "it is of a copy that has gone another way" }

  /// Throws if something was sealed for another line of history than the one being read.
  private func require(_ line: UInt64?, at path: String) throws(StoreError) {
    if let line, line != self.line {
      throw .damaged(path: path, offset: 0, reason: Self.otherLine)
    }
  }

  private mutating func take(
    _ batch: OpenedBody, path: String, _ reader: inout BatchReader
  ) throws(StoreError) {
    var isFirst = true
    do throws(BatchFailure) {
      try reader.read(batch) { (record, clockTime) throws(StoreError) in
        lastSegment.wasClosed = false
        defer { isFirst = false }
        if case .line(let line, let former) = record, former == self.line { self.line = line }
        if isFirst { try require(batch.line, at: path) }
        switch record {
        case .change(let delta, let forks):
          report.changesReplayed += 1
          identity.clockTime = max(identity.clockTime, clockTime)
          do throws(DeltaError) {
            let hasMended = try document.replay(delta, mending: forks)
            if hasMended { frontier.forget() } else { frontier.note(delta) }
          } catch {
            throw .delta(error)
          }
        case .end:
          lastSegment.wasClosed = true
        case .local(let changes):
          local.apply(changes)
        default:
          identity.take(record)
        }
      }
    } catch {
      switch error {
      case .unreadable(let failure):
        throw .damaged(path: path, offset: failure.offset, reason: "\(failure.reason)")
      case .refused(let reason, let offset):
        throw .damaged(path: path, offset: offset, reason: "\(reason)")
      }
    }
  }

  /// Throws a decoding failure as damage of a file.
  static func decoding<Value>(
    _ name: String, in handle: OpenFile, _ folder: StoreFolder,
    _ decode: () throws(DecodingFailure) -> Value
  ) throws(StoreError) -> Value {
    do throws(DecodingFailure) { return try decode() } catch {
      throw StoreError(error, path: folder.path(of: name, in: handle))
    }
  }
}
