import CRDTKit

/// Reads all files of a store, and collects the damage.
struct StoreVerifier {
  let folder: StoreFolder
  var report = Store.VerificationReport()
  /// The number of undamaged bytes of each segment.
  private var ends: [UInt64: Int] = [:]
  /// The manifest and the number of the store that it is of, if it can be read.
  private var own: (store: UInt64, manifest: Manifest)?

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Reads all files, including those that opening the store would not need.
  mutating func run() throws(StoreError) -> Store.VerificationReport {
    let listing = try FileListing(folder)
    try folder.checkFormat(listing)
    try folder.checkKey(listing)
    try readManifest(beside: listing)
    for number in listing.snapshots.sorted() { try checkSnapshot(number) }
    for number in listing.segments.sorted() {
      try checkSegment(number, isLast: number == listing.segments.max())
    }
    // Check that all files fit together.
    do throws(StoreError) {
      guard let contents = try StoreContents.read(folder) else {
        throw .notFound(path: folder.path)
      }
      if let found = contents.identity.document, !found.isOpen || !contents.document.version.isEmpty
      {
        report.documentID = found.id
      }
      checkEnd(of: contents)
    } catch {
      let finding = try finding(of: error, at: folder.path)
      if !report.findings.contains(where: { $0.path == finding.path }) {
        report.findings.append(finding)
      }
    }
    return report
  }

  /// Reads the manifest; if it is damaged, ``StoreContents`` finds that.
  private mutating func readManifest(beside listing: FileListing) throws(StoreError) {
    do throws(StoreError) {
      guard let bytes = try folder.readManifest()?.bytes else { return }
      report.filesRead += 1
      report.bytesRead += bytes.count
      let (head, manifest) = try Manifest.decode(bytes, in: folder, listing)
      own = (head.store, manifest)
    } catch {
      guard error.concernsOneFile else { throw error }
    }
  }

  /// Checks that a file that was read is the store's own.
  private func requireOwn(
    _ head: FileHead, named number: UInt64, at path: String
  ) throws(StoreError) {
    guard let own else { return }
    try folder.requireOwn(head, named: number, of: own.store, by: own.manifest, at: path)
  }

  /// The damage of one file; an error that is about more than the file is thrown.
  private func finding(
    of error: StoreError, at path: String
  ) throws(StoreError) -> StoreFinding {
    guard error.concernsOneFile else { throw error }
    return StoreFinding(error, path: path)
  }

  /// Checks that the log is as long as it was when the store was last closed.
  private mutating func checkEnd(of contents: StoreContents) {
    guard let mark = folder.readClosingMark(), mark.store == contents.store,
      mark.segment >= contents.manifest.firstSegment
    else { return }
    let path = folder.path(of: FileNames.segment(mark.segment), in: folder.segments)
    guard let finding = mark.finding(bytesInOrder: ends[mark.segment], at: path),
      !report.findings.contains(where: { $0.path == path })
    else { return }
    report.findings.append(finding)
    // The closing mark shows that these bytes were acknowledged.
    report.bytesUnfinished = 0
  }

  private mutating func checkSnapshot(_ number: UInt64) throws(StoreError) {
    let name = FileNames.snapshot(number)
    let path = folder.path(of: name, in: folder.snapshots)
    do throws(StoreError) {
      guard let file = try folder.open(name, in: folder.snapshots, for: .reading) else { return }
      defer { file.close() }
      report.filesRead += 1
      report.bytesRead += try file.size()
      guard let read = try SnapshotFile.read(number, in: folder) else { return }
      try requireOwn(read.head, named: number, at: path)
    } catch {
      report.findings.append(try finding(of: error, at: path))
    }
  }

  private mutating func checkSegment(_ number: UInt64, isLast: Bool) throws(StoreError) {
    let name = FileNames.segment(number)
    let path = folder.path(of: name, in: folder.segments)
    do throws(StoreError) {
      guard let bytes = try folder.read(name, in: folder.segments) else { return }
      report.filesRead += 1
      report.bytesRead += bytes.count
      let scan = try StoreContents.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      try requireOwn(scan.file, named: number, at: path)
      _ = try scan.head(of: bytes, in: folder, at: path)
      ends[number] = scan.end
      var reader = BatchReader()
      for batch in scan.batches { try check(batch, of: bytes, scan.file, path: path, &reader) }
      if scan.ending == .torn, isLast {
        report.bytesUnfinished = bytes.count - scan.end
      } else if scan.ending != .whole {
        throw .damaged(path: path, offset: scan.end, reason: "no whole commit begins there")
      }
    } catch {
      report.findings.append(try finding(of: error, at: path))
    }
  }

  private mutating func check(
    _ batch: Range<Int>, of bytes: [UInt8], _ file: FileHead, path: String,
    _ reader: inout BatchReader
  ) throws(StoreError) {
    let opened: OpenedBody
    do throws(StoreError) {
      opened = try folder.opened(batch, of: bytes, in: file, at: path)
    } catch {
      guard error.isDamage else { throw error }
      reader.skip()
      report.findings.append(StoreFinding(error, path: path))
      return
    }
    do throws(BatchFailure) {
      try reader.read(opened) { (record, _) in
        if case .change = record { report.changesRead += 1 }
      }
    } catch {
      guard case .unreadable(let failure) = error else { return }
      report.findings.append(
        StoreFinding(path: path, offset: failure.offset, reason: "\(failure.reason)"))
    }
  }
}
