public import CRDTKit

extension Store {
  /// Reads all files of the store and checks every byte.
  ///
  /// You can read and write meanwhile.
  ///
  /// - Complexity: O(size of all files).
  public nonisolated(nonsending) func verify() async throws(StoreError) -> Store.VerificationReport
  {
    let core = core
    return try await StoreThread.run { () throws(StoreError) in try core.verify() }
  }
}

extension Store {
  /// Reads all files of the store and checks every byte, and waits in place.
  public func verify() throws(StoreError) -> Store.VerificationReport {
    try core.verify()
  }

  /// Reads all files of a store that is not open, and checks every byte.
  ///
  /// It changes nothing.
  ///
  /// - Throws: ``StoreError`` if the files can't be read. Damage is not thrown: it is in
  ///   the report.
  public static func verify(
    at path: String, fileSystem: any FileSystem = DiskFileSystem(),
    sealing: (any Sealing)? = nil
  ) throws(StoreError) -> Store.VerificationReport {
    let folder: StoreFolder
    do throws(StoreError) {
      folder = try StoreFolder(
        path, in: fileSystem, creating: .nothing, isReadOnly: true, sealing: sealing)
    } catch {
      guard case .damaged = error else { throw error }
      return VerificationReport(findings: [StoreFinding(error, path: path)])
    }
    defer { folder.close() }
    var verifier = StoreVerifier(folder)
    return try verifier.run()
  }

  /// Recovers the undamaged data of a store that is not open and whose files are damaged.
  ///
  /// Afterwards the store opens. It has everything from the snapshots and segments that
  /// could be read. Damaged files are moved to the folder `quarantine`; nothing is deleted.
  /// The store writes as another replica from then on: changes by the old replica that are
  /// lost here come back from peers, if they have them.
  ///
  /// - Throws: ``StoreError`` if the files can't be read or written.
  /// - Complexity: O(size of all files).
  public static func salvage(
    at path: String, options: Store.Options = .standard
  ) throws(StoreError) -> Store.SalvageReport {
    let folder = try StoreFolder(
      path, in: options.fileSystem, creating: .parts, isReadOnly: false,
      sealing: options.sealing, adoptsUnsealed: options.adoptsUnsealedFiles)
    defer { folder.close() }
    var salvager = StoreSalvager(folder, options: options)
    var report = try salvager.run()
    report.findings = folder.cleared.map(\.finding) + report.findings
    report.filesSetAside += folder.cleared.map(\.path)
    return report
  }

  /// The changes in a store's log, oldest first.
  ///
  /// Another process may have the store open.
  ///
  /// - Throws: ``StoreError``.
  public static func log(
    at path: String, fileSystem: any FileSystem = DiskFileSystem(),
    sealing: (any Sealing)? = nil
  ) throws(StoreError) -> [Store.LogEntry] {
    let folder = try StoreFolder(
      path, in: fileSystem, creating: .nothing, isReadOnly: true, mayBeUnlocked: true,
      sealing: sealing)
    defer { folder.close() }
    var entries: [Store.LogEntry] = []
    var reader = BatchReader()
    let listing = try FileListing(folder)
    try folder.checkKey(listing)
    let manifest = try folder.decodedManifest(beside: listing)
    for number in listing.segments.sorted() {
      let name = FileNames.segment(number)
      guard let bytes = try folder.read(name, in: folder.segments) else { continue }
      let scan = try StoreContents.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      let path = folder.path(of: name, in: folder.segments)
      if let (head, manifest) = manifest {
        try folder.requireOwn(
          scan.file, named: number, of: head.store, by: manifest, at: path)
      }
      for batch in scan.batches {
        let opened = try folder.opened(batch, of: bytes, in: scan.file, at: path)
        do throws(BatchFailure) {
          try reader.read(opened) { (record, clockTime) in
            guard case .change(let delta, _) = record else { return }
            entries.append(
              Store.LogEntry(
                segment: number, offset: batch.lowerBound, milliseconds: clockTime >> 16,
                version: delta.version, records: Document().recordsChanged(by: delta) ?? [],
                batchBytes: batch.count))
          }
        } catch {
          guard case .unreadable(let failure) = error else { continue }
          throw StoreError(failure, path: path)
        }
      }
    }
    return entries
  }
}

extension Store {
  /// The result of checking all of a store's files.
  public struct VerificationReport: Hashable, Sendable {
    /// The damage that was found, in the order of the files.
    public var findings: [StoreFinding] = []
    /// The number of files that were read.
    public var filesRead = 0
    /// The bytes of the files that were read.
    public var bytesRead = 0
    /// The number of changes in the segments.
    public var changesRead = 0
    /// The number of bytes at the end of the log that belong to an unfinished write.
    ///
    /// The write was under way when the store was last open. It was never acknowledged, so
    /// this is no damage.
    public var bytesUnfinished = 0

    /// The document that the store has a copy of; `nil` if it has none yet, or if it can't be
    /// determined.
    public var documentID: DocumentID?

    /// Whether no damage was found.
    public var isSound: Bool { findings.isEmpty }
  }

  /// What salvaging a store has recovered, and what it has not.
  ///
  /// A store without damage is left as it is.
  public struct SalvageReport: Hashable, Sendable {
    /// The damage that was found.
    public var findings: [StoreFinding] = []
    /// The number of changes that were applied from the segments.
    public var changesTaken = 0
    /// The number of undamaged changes that build on lost ones.
    ///
    /// They could not be applied as they were. Another replica wrote their values anew, with
    /// their original times. Values that others have written since win over them. Values that
    /// others have removed or deleted since are back, as if the removal had not seen them.
    public var changesWrittenAnew = 0
    /// The number of these that have counts, or parts that this version doesn't know.
    ///
    /// Those parts are only in the files that were set aside.
    public var changesIncomplete = 0
    /// The number of undamaged batches of commits that can't be read, because they refer to
    /// names in a damaged batch: at most 4 KiB of batches after each damage.
    public var batchesUnreadable = 0
    /// Whether the schema was lost: if so, pass it when you open the store.
    public var isSchemaLost = false
    /// The paths of the damaged files in the quarantine.
    public var filesSetAside: [String] = []
    /// The replica that the store writes as from now on.
    ///
    /// Other stores may know the old replica's last changes, which are lost here.
    public var replica = ReplicaID(0)
    /// The number of records that the store now holds.
    public var records = 0
  }

  /// One change in a store's log, for inspection.
  public struct LogEntry: Hashable, Sendable {
    /// The number of the segment that holds the change.
    public var segment: UInt64
    /// The offset of the change's batch in the segment.
    public var offset: Int
    /// The clock's time after the change, as in `HybridTimestamp`.
    public var milliseconds: UInt64
    /// The events that make up the change.
    public var version: VersionVector
    /// The records of which the change has rows; records with only removals are not listed.
    public var records: Set<Document.RecordID>
    /// The size of the batch in bytes: one commit, or several that were written together.
    public var batchBytes: Int
  }
}
