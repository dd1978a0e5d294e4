public import CRDTKit

extension Store {
  /// Reads all files of the store and checks every byte; others go on meanwhile.
  ///
  /// - Complexity: O(size of all files).
  public nonisolated(nonsending) func verify() async throws(StoreError) -> VerificationReport {
    let core = core
    return try await StoreThread.run { () throws(StoreError) in try core.verify() }
  }
}

extension Store {
  /// Reads all files of the store and checks every byte, and waits in place.
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

/// What a look through all of a store's files has found.
public struct VerificationReport: Hashable, Sendable {
  /// What is wrong, in the order of the files.
  public var findings: [StoreFinding] = []
  /// How many files were read, and how many bytes they have.
  public var filesRead = 0
  /// The bytes of the files that were read.
  public var bytesRead = 0
  /// How many changes the segments hold.
  public var changesRead = 0
  /// How many bytes at the end of the log were being written when the store was
  /// last open; they were never acknowledged, and are no damage.
  public var bytesUnfinished = 0

  /// The document that the store has a copy of; `nil` where it has none yet, or it can't be
  /// told.
  public var documentID: DocumentID?

  /// Whether nothing is wrong.
  public var isSound: Bool { findings.isEmpty }
}

/// What salvaging a store has saved, and what not.
///
/// A store in which nothing was wrong is left as it is.
public struct SalvageReport: Hashable, Sendable {
  /// What was wrong.
  public var findings: [StoreFinding] = []
  /// How many changes were taken in from the segments.
  public var changesTaken = 0
  /// How many changes are whole but go on from others that are lost.
  ///
  /// They could not be taken in as they were, so what they wrote was written anew, by another
  /// replica and with the times that they had. What others have written since wins over it; what
  /// others have removed or deleted since is there again, as for who hadn't seen it removed.
  public var changesWrittenAnew = 0
  /// How many of these have counts, or what this version doesn't know: that part of
  /// them is only in the files that were set aside.
  public var changesIncomplete = 0
  /// How many batches of commits are whole but go on from names in a damaged one, and
  /// can't be read without: those of at most 4 KiB after each damage.
  public var batchesUnreadable = 0
  /// Whether the schema was lost: open the store with it.
  public var isSchemaLost = false
  /// Where the damaged files are now.
  public var filesSetAside: [String] = []
  /// The replica that the store writes as from now on: what the old one wrote last
  /// may be known elsewhere and not here.
  public var replica = ReplicaID(0)
  /// How many records the store holds now.
  public var records = 0
}

/// One change in a store's log, for those who look into it.
public struct StoreLogEntry: Sendable {
  /// The number of the segment that holds it.
  public var segment: UInt64
  /// Where its batch stands in the segment.
  public var offset: Int
  /// The time of the clock after it, as in `HybridTimestamp`.
  public var milliseconds: UInt64
  /// The events of which it consists.
  public var version: VersionVector
  /// The records of which it has rows; what was only removed isn't listed.
  public var records: Set<Document.RecordID>
  /// How many bytes the batch takes: one commit, or several that were written together.
  public var batchBytes: Int
}
