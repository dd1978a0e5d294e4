import CRDTKit

/// Reads all files of a store, and gathers what is wrong with them.
struct StoreVerifier {
  let folder: StoreFolder
  var report = VerificationReport()

  init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Reads all files, those too that opening the store would not need.
  mutating func run() throws(StoreError) -> VerificationReport {
    let listing = try StoreContents.Listing(folder)
    for number in listing.snapshots.sorted() { checkSnapshot(number) }
    for number in listing.segments.sorted() {
      checkSegment(number, isLast: number == listing.segments.max())
    }
    // The manifest, and that all fits together.
    do throws(StoreError) {
      guard try StoreContents.read(folder) != nil else {
        throw .notFound(path: folder.path)
      }
      report.filesRead += 1
    } catch {
      if case .notFound = error { throw error }
      let finding = StoreFinding(error, path: folder.path)
      if !report.findings.contains(where: { $0.path == finding.path }) {
        report.findings.append(finding)
      }
    }
    return report
  }

  private mutating func checkSnapshot(_ number: UInt64) {
    let name = FileNames.snapshot(number)
    let path = folder.path(of: name, in: folder.snapshots)
    do throws(StoreError) {
      guard let file = try folder.open(name, in: folder.snapshots, for: .reading) else { return }
      defer { file.close() }
      report.filesRead += 1
      report.bytesRead += try file.size()
      _ = try SnapshotFile.read(number, in: folder)
    } catch {
      report.findings.append(StoreFinding(error, path: path))
    }
  }

  private mutating func checkSegment(_ number: UInt64, isLast: Bool) {
    let name = FileNames.segment(number)
    let path = folder.path(of: name, in: folder.segments)
    do throws(StoreError) {
      guard let bytes = try folder.read(name, in: folder.segments) else { return }
      report.filesRead += 1
      report.bytesRead += bytes.count
      let scan = try StoreContents.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      var reader = BatchReader()
      for batch in scan.batches { check(batch, of: bytes, path: path, &reader) }
      if scan.ending == .torn, isLast {
        report.bytesUnfinished = bytes.count - scan.end
      } else if scan.ending != .whole {
        throw .damaged(path: path, offset: scan.end, reason: "no whole commit begins there")
      }
    } catch {
      report.findings.append(StoreFinding(error, path: path))
    }
  }

  private mutating func check(
    _ batch: Range<Int>, of bytes: [UInt8], path: String, _ reader: inout BatchReader
  ) {
    do throws(BatchFailure) {
      try reader.read(batch, of: bytes) { (record, _) in
        if case .change = record { report.changesRead += 1 }
      }
    } catch {
      guard case .unreadable(let failure) = error else { return }
      report.findings.append(
        StoreFinding(path: path, offset: failure.offset, reason: "\(failure.reason)"))
    }
  }
}

extension StoreCore {
  /// Reads all files while the store is open.
  func verify() throws(StoreError) -> VerificationReport {
    // Nothing is removed meanwhile.
    monitor.lock()
    while isCompacting { monitor.wait(for: .done) }
    guard let folder, !isClosing else {
      monitor.unlock()
      throw .closed(path: path)
    }
    isCompacting = true
    monitor.unlock()
    defer { endCompaction() }
    var verifier = StoreVerifier(folder)
    var report = try verifier.run()
    // What is being written now isn't whole yet.
    report.bytesUnfinished = 0
    return report
  }
}

extension Store {
  /// Reads all files of the store and checks every byte; others go on meanwhile.
  ///
  /// - Complexity: O(size of all files).
  public nonisolated(nonsending) func verify() async throws(StoreError) -> VerificationReport {
    let core = core
    return try await StoreThread.run { () throws(StoreError) in try core.verify() }
  }
}

extension BlockingStore {
  /// Reads all files of the store and checks every byte.
  public func verify() throws(StoreError) -> VerificationReport {
    try core.verify()
  }

  /// Reads all files of a store that is not open, and checks every byte; nothing is
  /// changed.
  ///
  /// - Throws: ``StoreError`` where the files can't be read; that they are damaged is
  ///   in the report.
  public static func verify(
    at path: String, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(StoreError) -> VerificationReport {
    let folder = try StoreFolder(path, in: fileSystem, creating: .nothing, isReadOnly: true)
    defer { folder.close() }
    var verifier = StoreVerifier(folder)
    return try verifier.run()
  }
}
