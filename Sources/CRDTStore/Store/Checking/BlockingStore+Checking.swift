import CRDTKit

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
    at path: String, fileSystem: any FileSystem = DiskFileSystem(),
    sealing: (any Sealing)? = nil
  ) throws(StoreError) -> VerificationReport {
    let folder = try StoreFolder(
      path, in: fileSystem, creating: .nothing, isReadOnly: true, sealing: sealing)
    defer { folder.close() }
    var verifier = StoreVerifier(folder)
    return try verifier.run()
  }

  /// Saves what is whole of a store whose files are damaged, and that is not open.
  ///
  /// Afterwards the store opens. It has all that the snapshots and segments that can
  /// be read hold; damaged files are moved to the folder `quarantine`, and nothing is
  /// deleted. It goes on as another replica: what the old one had written and is lost
  /// here comes back from its peers, if they have it.
  ///
  /// - Throws: ``StoreError`` where the files can't be read or written.
  /// - Complexity: O(size of all files).
  public static func salvage(
    at path: String, options: StoreOptions = .standard
  ) throws(StoreError) -> SalvageReport {
    let folder = try StoreFolder(
      path, in: options.fileSystem, creating: .parts, isReadOnly: false,
      sealing: options.sealing, adoptsUnsealed: options.adoptsUnsealedFiles)
    defer { folder.close() }
    var salvager = StoreSalvager(folder, options: options)
    return try salvager.run()
  }

  /// The changes that the log of a store holds, the oldest first; another process may
  /// have the store open.
  ///
  /// - Throws: ``StoreError``.
  public static func log(
    at path: String, fileSystem: any FileSystem = DiskFileSystem(),
    sealing: (any Sealing)? = nil
  ) throws(StoreError) -> [StoreLogEntry] {
    let folder = try StoreFolder(
      path, in: fileSystem, creating: .nothing, isReadOnly: true, mayBeUnlocked: true,
      sealing: sealing)
    defer { folder.close() }
    var entries: [StoreLogEntry] = []
    var reader = BatchReader()
    let listing = try FileListing(folder)
    try folder.checkKey(listing)
    for number in listing.segments.sorted() {
      let name = FileNames.segment(number)
      guard let bytes = try folder.read(name, in: folder.segments) else { continue }
      let scan = try StoreContents.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      for batch in scan.batches {
        let opened = try folder.opened(
          batch, of: bytes, in: scan.file, at: folder.path(of: name, in: folder.segments))
        do throws(BatchFailure) {
          try reader.read(opened) { (record, clockTime) in
            guard case .change(let delta, _) = record else { return }
            entries.append(
              StoreLogEntry(
                segment: number, offset: batch.lowerBound, milliseconds: clockTime >> 16,
                version: delta.version, records: Document().recordsChanged(by: delta) ?? [],
                batchBytes: batch.count))
          }
        } catch {
          guard case .unreadable(let failure) = error else { continue }
          throw StoreError(failure, path: folder.path(of: name, in: folder.segments))
        }
      }
    }
    return entries
  }
}
