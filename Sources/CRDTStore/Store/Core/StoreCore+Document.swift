import CRDTKit

extension StoreCore {
  /// The document that the store has a copy of; the monitor is held.
  ///
  /// It is open as long as the store has seen no event, unless somebody has said which
  /// document it is: then it takes that of the first peer or relay that it meets.
  var ownDocument: DocumentIdentity? {
    guard var document = identity.document else { return nil }
    document.isOpen = document.isOpen && working.version.isEmpty
    return document
  }

  /// Goes on as a copy of a document; the monitor is held.
  ///
  /// The note stands in the log before all that is taken in of that document, so no crash
  /// leaves the one without the other.
  func become(_ document: DocumentIdentity?) {
    guard document != ownDocument, log != nil, failure == nil, !isClosing else { return }
    identity.document = document
    batch.add(.document(document))
    appended += 1
  }

  /// Settles of which document the store is, after greetings were exchanged.
  ///
  /// - Throws: `SyncFailure.differentDocument` where the peer has a copy of another one.
  func meet(
    _ peer: DocumentIdentity?, greetedAs greeting: DocumentIdentity?
  ) throws(SyncFailure) {
    try monitor.withLock { () throws(SyncFailure) in
      become(try DocumentIdentity.meeting(ownDocument, greetedAs: greeting, peer))
    }
  }

  /// Settles of which document the store is, where a relay's folder has files of some: of
  /// its own if there are any, else of those that are there if it is open; gives it.
  ///
  /// - Throws: ``StoreError/severalDocuments(path:found:)`` where it would have to choose.
  func settle(
    among found: Set<DocumentIdentity>, at path: String
  ) throws(StoreError) -> DocumentIdentity? {
    try monitor.withLock { () throws(StoreError) in
      let groups = found.joiningSame()
      let own = ownDocument
      if let own, groups.contains(where: own.isSame) {
        become(groups.filter(own.isSame).reduce(own) { $0.joined(with: $1) }.settled)
      } else if own?.isOpen ?? true, let group = groups.first {
        guard groups.count == 1 else {
          throw .severalDocuments(path: path, found: groups.map(\.id))
        }
        become(.taking(group, for: own))
      }
      return ownDocument
    }
  }

  /// Has the store be of the document that its options say.
  ///
  /// - Throws: ``StoreError/otherDocument(path:found:expected:)`` where it is another's.
  func checkDocument() throws(StoreError) {
    guard let wanted = options.documentID else { return }
    try monitor.withLock { () throws(StoreError) in
      let own = ownDocument
      guard let own, !own.isOpen else { return become(DocumentIdentity(wanted)) }
      guard own.ids.contains(wanted) else {
        throw .otherDocument(path: path, found: own.id, expected: wanted)
      }
    }
  }

  /// Makes the store's document and another one the same; gives the commit to wait for.
  func join(_ document: DocumentID) throws(StoreError) -> UInt64 {
    try monitor.withLock { () throws(StoreError) in
      try checkWritable()
      let (own, other) = (ownDocument, DocumentIdentity(document))
      become(own?.isOpen ?? true ? .taking(other, for: own) : own?.joined(with: other))
      return appended
    }
  }
}

extension Set<DocumentIdentity> {
  /// The documents that these are of, in ascending order.
  fileprivate func joiningSame() -> [DocumentIdentity] {
    var groups: [DocumentIdentity] = []
    for identity in sorted(by: { $0.id < $1.id }) {
      let same = groups.filter(identity.isSame)
      groups.removeAll { identity.isSame(as: $0) }
      groups.append(same.reduce(identity) { $0.joined(with: $1) })
    }
    return groups.sorted { $0.id < $1.id }
  }
}

extension StoreCore {
  /// Checks a stamp from elsewhere, without taking note of it.
  func checkClock(_ stamp: HybridTimestamp) throws(ClockDriftError) {
    var clock = monitor.withLock { self.clock }
    try clock.receive(stamp, wallMilliseconds: options.clock.milliseconds)
  }

  /// Whether the segments that are kept reach back to a version.
  func hasHistory(since version: VersionVector) -> Bool {
    monitor.withLock { firstSegment(since: version) != nil }
  }

  /// The last segment that begins with nothing that a version hasn't seen.
  private func firstSegment(since version: VersionVector) -> UInt64? {
    files.versions.filter { version.contains($0.value) }.keys.max()
  }

  /// What was removed since a version, as far as the segments that are kept tell.
  func removalHistory(since version: VersionVector) throws(StoreError) -> RemovalHistory {
    // The files of another process may tell of more than was read of them.
    let isBesideWriter = monitor.withLock { self.folder?.isBesideWriter ?? false }
    if isBesideWriter { return RemovalHistory(since: version) }
    let folder = try holdFiles()
    defer { endCompaction() }
    guard let first = monitor.withLock({ firstSegment(since: version) }) else {
      return RemovalHistory(since: version)
    }
    let begin = monitor.withLock { files.versions[first] ?? [:] }
    var history = RemovalHistory(since: begin)
    var reader = BatchReader()
    var segment = first
    // What can't be read now is no worse than what was never kept: the history ends,
    // and the delta is made without it.
    while let bytes = try? folder.read(FileNames.segment(segment), in: folder.segments) {
      guard let scan = try? SegmentScan(bytes), scan.file.number == segment,
        scan.file.store == number, scan.file.isSealed || segment < manifest.firstSealedSegment
      else { break }
      for batch in scan.batches {
        var isMended = false
        do throws(BatchFailure) {
          guard let opened = try? folder.opened(batch, of: bytes, in: scan.file, at: path) else {
            return history
          }
          try reader.read(opened) { (record, _) in
            guard case .change(let delta, let forks) = record else { return }
            isMended = isMended || !forks.isEmpty
            history.append(delta)
          }
        } catch {
          return history
        }
        // What was removed before goes by other names since.
        if isMended { return RemovalHistory(since: begin) }
      }
      segment += 1
    }
    return history
  }
}

extension StoreCore {
  /// Tells the app of records that were purged on one side and edited on the other, where
  /// a delta has just brought the two together.
  ///
  /// Where there is more, such as many records at once, only the records that the delta
  /// has changed are looked at, if these are known. The monitor is held.
  func tellOfOrphans(among records: Set<Document.RecordID>?, since before: Document) {
    let orphans: [Document.RecordID]
    if let records {
      orphans = records.filter { record in
        working.isOrphaned(record) && !before.isOrphaned(record)
      }
    } else {
      let known = Set(before.orphanedRecords.map(\.id))
      orphans = working.orphanedRecords.map(\.id).filter { !known.contains($0) }
    }
    if !orphans.isEmpty { tell(.recordsOrphaned(orphans.sorted())) }
  }
}

extension StoreCore {
  /// Sees to what follows where forks were mended; the monitor is held.
  ///
  /// What peers were known to have of these replicas may be events of the other line. Where
  /// this store's own line goes by another name, the store writes on as another replica.
  func finishMending(_ mended: ContiguousArray<Mended>) {
    for place in identity.peers.indices {
      for mend in mended {
        let (replica, parting) = (mend.reissue.replica, mend.reissue.parting)
        guard identity.peers[place].version[replica] > parting else { continue }
        identity.peers[place].version[replica] = parting
        unrecordedPeers.insert(identity.peers[place].replica)
      }
    }
    recordPeers()
    for mend in mended {
      let fork = MendedFork(
        replica: mend.replica, name: mend.reissue.name, events: mend.events)
      // Each peer that comes with the old line has it mended once more.
      let isTold = mendedForks.contains {
        $0.replica == fork.replica && $0.name == fork.name && $0.events >= fork.events
      }
      guard !isTold else { continue }
      mendedForks.append(fork)
      tell(.mendedFork(fork))
    }
    if mended.contains(where: { $0.isMine && $0.replica.isName(of: identity.replica) }) {
      takeNewReplica()
    }
  }
}

extension StoreCore {
  /// Notes that replicas have written in two places, where nothing could be taken in yet that
  /// shows it.
  func noteForks(of replicas: Set<ReplicaID>) {
    guard !replicas.isEmpty else { return }
    monitor.withLock {
      for replica in replicas.sorted() {
        working.noteFork(of: replica)
        committed?.noteFork(of: replica)
      }
    }
  }
}

extension Document {
  /// Takes in a change of the log once more, as it was taken in.
  mutating func replay(
    _ delta: TableDelta<Document>, mending forks: ContiguousArray<ReplicaID>
  ) throws(DeltaError) {
    _ = try table.apply(delta.changes, mending: forks)
  }
}
