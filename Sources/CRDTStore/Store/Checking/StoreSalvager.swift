import CRDTKit

/// Recovers the undamaged data of a damaged store.
///
/// Document states merge, and deltas may be applied more than once. So the salvager merges
/// all snapshots and changes that can be read, whatever the manifest says. It writes the
/// result as a new snapshot, and moves damaged files to the quarantine.
struct StoreSalvager {
  let folder: StoreFolder
  let options: Store.Options
  var report = Store.SalvageReport()
  var document = Document()
  var store: UInt64?
  var manifest: Manifest?
  var manifestNumber: UInt64 = 0
  var identity: StoreIdentity
  var local: LocalValues = [:]
  /// The first segment whose local values are newer than those of the snapshot that was
  /// used.
  var firstLocalSegment: UInt64?
  /// Whether the schema was found.
  var hasSchema = false
  /// The number of seals with the present key that are known of.
  var seals: UInt64 = 0
  /// The length of the log when the store was last closed.
  var closingMark: ClosingMark?
  /// Changes that could not be applied when they were read.
  ///
  /// They aren't applied later: another change may bring the events that they name again,
  /// without those before these. So they are written anew.
  var waiting:
    [(change: TableDelta<Document>, forks: ContiguousArray<ReplicaID>, segment: String)] = []
  var damaged: [(name: String, folder: OpenFile)] = []
  /// The greatest numbers in the heads of segments and snapshots: file names are not
  /// trusted.
  var lastSegment: UInt64 = 0
  var lastSnapshot: UInt64 = 0
  /// The numbers of the segments that are the store's own and have their own names.
  private var ownSegments: Set<UInt64> = []

  init(_ folder: StoreFolder, options: Store.Options) {
    self.folder = folder
    self.options = options
    identity = StoreIdentity(replica: ReplicaID(0), home: folder.home.value)
  }

  mutating func run() throws(StoreError) -> Store.SalvageReport {
    var verifier = StoreVerifier(folder)
    if try verifier.run().isSound, let contents = try readSound() {
      report.replica = contents.identity.replica
      report.records = contents.document.recordCount
      return report
    }
    let listing = try FileListing(folder)
    if folder.sealing != nil, !folder.adoptsUnsealed, try !FileKinds(folder, listing).isAnySealed,
      try folder.head(of: FileNames.manifest, .manifest, in: folder.root)?.isSealed != true
    {
      throw .notSealed(path: folder.path)
    }
    store = try mostNamedStore(in: listing)
    try readManifest(beside: listing)
    readClosingMark()
    for number in listing.snapshots.sorted(by: >) { try takeSnapshot(number) }
    for number in try inOrder(listing.segments) { try takeSegment(number) }
    noteMissing(in: listing)
    if let closingMark, !listing.segments.contains(closingMark.segment) {
      let path = folder.path(of: FileNames.segment(closingMark.segment), in: folder.segments)
      report.findings += [closingMark.finding(bytesInOrder: nil, at: path)].compactMap { $0 }
    }
    guard let store else { throw .notFound(path: folder.path) }
    beginAsAnother()
    rewriteWaiting()
    try write(of: store, after: listing)
    return report
  }

  /// The contents of the store; `nil` if a file has changed since all were found undamaged.
  private func readSound() throws(StoreError) -> StoreContents? {
    do throws(StoreError) { return try StoreContents.read(folder) } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  private mutating func note(_ error: StoreError, _ name: String, in handle: OpenFile)
    throws(StoreError)
  {
    guard error.isDamage else { throw error }
    report.findings.append(StoreFinding(error, path: folder.path(of: name, in: handle)))
    damaged.append((name, handle))
  }

  private mutating func readManifest(beside listing: FileListing) throws(StoreError) {
    var name = FileNames.manifest
    do throws(StoreError) {
      guard let found = try folder.readManifest() else { return }
      if found.isUnfinished { name = FileNames.unfinishedManifest }
      let (head, manifest) = try Manifest.decode(found.bytes, in: folder, listing)
      try requireOwn(head, name, in: folder.root)
      try folder.requireSealed(
        head, by: nil, path: folder.path(of: FileNames.manifest, in: folder.root))
      (manifestNumber, self.manifest) = (head.number, manifest)
      seals += manifest.seals
      identity = manifest.identity
      document.schema = manifest.schema
      hasSchema = true
    } catch {
      try note(error, name, in: folder.root)
    }
  }

  /// Notes the files that the manifest needs and that are not there, and gaps in the log.
  private mutating func noteMissing(in listing: FileListing) {
    guard let manifest else { return }
    if manifest.snapshot > 0, !listing.snapshots.contains(manifest.snapshot) {
      let path = folder.path(of: FileNames.snapshot(manifest.snapshot), in: folder.snapshots)
      report.findings.append(StoreFinding(path: path, offset: 0, reason: "the file is missing"))
    }
    var next = manifest.firstLiveSegment
    for segment in ownSegments.sorted() where segment >= next && Self.isPlausible(segment) {
      if segment > next, !listing.segments.contains(next) { noteMissing(next..<segment) }
      next = segment + 1
    }
    if next == manifest.firstLiveSegment, !listing.segments.contains(next) {
      noteMissing(next..<next + 1)
    }
  }

  private mutating func noteMissing(_ segments: Range<UInt64>) {
    let path = folder.path(of: FileNames.segment(segments.lowerBound), in: folder.segments)
    let more = segments.count > 1 ? ", and \(segments.count - 1) after it" : ""
    report.findings.append(
      StoreFinding(path: path, offset: 0, reason: "the file is missing" + more))
  }

  /// Reads the length of the log at closing, if it is about one of the expected segments.
  private mutating func readClosingMark() {
    guard let mark = folder.readClosingMark(), mark.store == store,
      mark.segment >= manifest?.firstSegment ?? 1, Self.isPlausible(mark.segment)
    else { return }
    closingMark = mark
  }

  private mutating func takeSnapshot(_ number: UInt64) throws(StoreError) {
    let name = FileNames.snapshot(number)
    do throws(StoreError) {
      guard let read = try SnapshotFile.read(number, in: folder) else { return }
      try requireOwn(read.head, name, in: folder.snapshots)
      try folder.requireSealed(
        read.head, by: manifest, path: folder.path(of: name, in: folder.snapshots))
      if Self.isPlausible(number) { lastSnapshot = max(lastSnapshot, number) }
      if read.snapshot.identity.clockTime >= identity.clockTime {
        identity = read.snapshot.identity
      }
      if firstLocalSegment == nil {
        local = read.snapshot.local
        firstLocalSegment = read.snapshot.firstLiveSegment
      }
      if manifest == nil, !hasSchema {
        document.schema = read.snapshot.schema
        hasSchema = true
      }
      do throws(DeltaError) { _ = try document.merge(checking: read.document) } catch {
        throw .damaged(
          path: folder.path(of: name, in: folder.snapshots), offset: 0, reason: "\(error)")
      }
      try requirePlausible(number, name, in: folder.snapshots)
    } catch {
      try note(error, name, in: folder.snapshots)
    }
  }

  /// The segments in the order of the numbers in their heads, whatever their file names are.
  ///
  /// If two have records about the same thing, the later one counts.
  private func inOrder(_ segments: Set<UInt64>) throws(StoreError) -> [UInt64] {
    var order: [(own: UInt64, named: UInt64)] = []
    for number in segments {
      let head = try folder.head(of: FileNames.segment(number), .segment, in: folder.segments)
      order.append((head?.number ?? number, number))
    }
    return order.sorted { $0 < $1 }.map(\.named)
  }

  private mutating func takeSegment(_ number: UInt64) throws(StoreError) {
    let name = FileNames.segment(number)
    do throws(StoreError) {
      guard let file = try folder.open(name, in: folder.segments, for: .reading) else { return }
      defer { file.close() }
      let extent = try file.extent()
      let bytes = try file.read(0..<extent.end)
      var scan = try StoreContents.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      try requireOwn(scan.file, name, in: folder.segments)
      let path = folder.path(of: name, in: folder.segments)
      try folder.requireSealed(scan.file, by: manifest, path: path)
      let head = try scan.head(of: bytes, in: folder, at: path).head
      if scan.file.isSealed { seals += 1 }
      if scan.file.number == number { ownSegments.insert(number) }
      if Self.isPlausible(scan.file.number) { lastSegment = max(lastSegment, scan.file.number) }
      // The segments are read in order, so the last whole head decides.
      if let document = head.document { identity.document = document }
      var reader = BatchReader()
      var firstDamage: Int?
      while true {
        for batch in scan.batches {
          let isTaken: Bool
          do throws(StoreError) {
            let opened = try folder.opened(batch, of: bytes, in: scan.file, at: path)
            if scan.file.isSealed, !opened.isOfFormerKey { seals += 1 }
            isTaken = take(opened, in: (scan.file.number, name), &reader)
          } catch {
            guard error.isDamage else { throw error }
            reader.skip()
            isTaken = false
          }
          if !isTaken { firstDamage = firstDamage ?? batch.lowerBound }
        }
        if scan.ending == .whole { break }
        firstDamage = firstDamage ?? scan.end
        reader.skip()
        guard scan.resume(in: bytes) else { break }
      }
      if scan.file.number != number {
        throw .damaged(path: path, offset: 16, reason: "it is segment \(scan.file.number)")
      }
      try requirePlausible(number, name, in: folder.segments)
      if extent.isTooLong, firstDamage == nil { throw file.tooLong(extent) }
      if firstDamage == nil, closingMark?.segment == number,
        let finding = closingMark?.finding(bytesInOrder: scan.end, at: path)
      {
        throw .damaged(path: path, offset: finding.offset, reason: finding.reason)
      }
      if let firstDamage {
        throw .damaged(
          path: folder.path(of: name, in: folder.segments), offset: firstDamage,
          reason: "not all commits from there on are whole")
      }
    } catch {
      try note(error, name, in: folder.segments)
    }
  }

  /// The store that the manifest names, if a file that it needs names it too; otherwise the
  /// store that most files name.
  private func mostNamedStore(in listing: FileListing) throws(StoreError) -> UInt64? {
    if let store = try storeOfManifest(beside: listing) { return store }
    var counts: [UInt64: Int] = [:]
    for number in listing.segments.sorted() {
      let named = try namedStore(FileNames.segment(number), in: folder.segments, .segment)
      if let named { counts[named, default: 0] += 1 }
    }
    for number in listing.snapshots.sorted() {
      let named = try namedStore(FileNames.snapshot(number), in: folder.snapshots, .snapshot)
      if let named { counts[named, default: 0] += 1 }
    }
    let fromManifest = try namedStore(FileNames.manifest, in: folder.root, .manifest)
    let most = counts.values.max() ?? 0
    let named = counts.filter { $0.value == most }.keys
    return named.first { $0 == fromManifest } ?? named.min() ?? fromManifest
  }

  /// The store that a whole manifest names, if the snapshot or the first live segment that
  /// it needs names the same one.
  ///
  /// Anybody can put any number of files of another store beside these.
  private func storeOfManifest(beside listing: FileListing) throws(StoreError) -> UInt64? {
    var found: (FileHead, Manifest)?
    do throws(StoreError) {
      found = try folder.decodedManifest(beside: listing)
    } catch {
      guard error.concernsOneFile else { throw error }
    }
    guard let (head, manifest) = found else { return nil }
    let snapshot = try namedStore(
      FileNames.snapshot(manifest.snapshot), in: folder.snapshots, .snapshot)
    let segment = try namedStore(
      FileNames.segment(manifest.firstLiveSegment), in: folder.segments, .segment)
    return snapshot == head.store || segment == head.store ? head.store : nil
  }

  /// The store that a file's head names; `nil` if the head or the frame after it isn't
  /// whole.
  private func namedStore(
    _ name: String, in handle: OpenFile, _ kind: FileHead.Kind
  ) throws(StoreError) -> UInt64? {
    guard let (head, body, bytes) = try folder.firstFrame(of: name, kind, in: handle) else {
      return nil
    }
    if folder.sealing != nil, !folder.adoptsUnsealed || head.isSealed {
      let path = folder.path(of: name, in: handle)
      guard head.isSealed, (try? folder.opened(body, of: bytes, in: head, at: path)) != nil
      else { return nil }
    }
    return head.store
  }

  /// Throws if a file belongs to another store.
  private func requireOwn(
    _ head: FileHead, _ name: String, in handle: OpenFile
  ) throws(StoreError) {
    guard head.store != store else { return }
    throw .damaged(
      path: folder.path(of: name, in: handle), offset: 8, reason: "it is another store's")
  }

  /// Whether the numbers of new files may follow a number that a file has.
  ///
  /// No store reaches half of the greatest number. What is in a file with a larger one is
  /// recovered, but the file is set aside, so that the numbers aren't used up.
  static func isPlausible(_ number: UInt64) -> Bool { number <= FileNames.numberMax / 2 }

  private func requirePlausible(
    _ number: UInt64, _ name: String, in handle: OpenFile
  ) throws(StoreError) {
    guard !Self.isPlausible(number) else { return }
    throw .damaged(
      path: folder.path(of: name, in: handle), offset: 16, reason: "its number makes no sense")
  }

  /// Applies the records of a batch; returns whether all could be read.
  private mutating func take(
    _ batch: OpenedBody, in segment: (number: UInt64, name: String),
    _ reader: inout BatchReader
  ) -> Bool {
    do throws(BatchFailure) {
      try reader.read(batch) { (record, clockTime) in
        identity.clockTime = max(identity.clockTime, clockTime)
        if case .local(let changes) = record, segment.number >= firstLocalSegment ?? 0 {
          local.apply(changes)
        }
        guard case .change(let delta, let forks) = record else {
          // Segments from before the snapshot are read too, so the highest version counts.
          let version = identity.schemaVersion
          identity.take(record)
          identity.schemaVersion = max(identity.schemaVersion, version)
          return
        }
        if (try? document.replay(delta, mending: forks)) != nil {
          report.changesTaken += 1
        } else {
          waiting.append((delta, forks, segment.name))
        }
      }
      return true
    } catch {
      report.batchesUnreadable += 1
      return false
    }
  }
}

extension Document {
  /// The number of records in all collections.
  var recordCount: Int {
    collections.reduce(0) { $0 + records(in: $1).count }
  }
}
