import CRDTKit

extension StoreCore {
  /// The document that the store has a copy of; the monitor is held.
  ///
  /// It is open as long as the store has seen no event and nobody has named its document.
  /// Then the store takes the document of the first peer or relay that it meets.
  var ownDocument: DocumentIdentity? {
    guard var document = identity.document else { return nil }
    document.isOpen = document.isOpen && working.document.version.isEmpty
    return document
  }

  /// Makes the store a copy of a document; the monitor is held.
  ///
  /// The log holds this record before any change of that document, so no crash separates
  /// them.
  func become(_ document: DocumentIdentity?) {
    guard document != ownDocument, log != nil, failure == nil, !isClosing else { return }
    identity.document = document
    batch.add(.document(document))
    appended += 1
  }

  /// Determines the store's document after greetings were exchanged.
  ///
  /// - Throws: `SyncFailure.differentDocument` if the peer has a copy of another one.
  func meet(
    _ peer: DocumentIdentity?, greetedAs greeting: DocumentIdentity?
  ) throws(SyncFailure) {
    try monitor.withLock { () throws(SyncFailure) in
      become(try DocumentIdentity.meeting(ownDocument, greetedAs: greeting, peer))
    }
  }

  /// Determines the store's document from the files in a relay's folder, and returns it.
  ///
  /// It is the store's own if there are files of it. Otherwise, if the store's document is
  /// open, it is the one that is there.
  ///
  /// - Throws: ``StoreError/severalDocuments(path:found:)`` if the store would have to
  ///   choose.
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

  /// Makes the store a copy of the document that its options name.
  ///
  /// - Throws: ``StoreError/otherDocument(path:found:expected:)`` if it is a copy of
  ///   another one.
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

  /// Joins the store's document with another one; returns the commit to wait for.
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
  /// The documents of these identities, joined where they are the same, in ascending order.
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
  /// Checks a stamp from elsewhere, without receiving it.
  func checkClock(_ stamp: HybridTimestamp) throws(HybridLogicalClock.DriftError) {
    var clock = monitor.withLock { self.clock }
    try clock.receive(stamp, wallMilliseconds: options.clock.milliseconds)
  }

  /// Whether the kept segments reach back to a version.
  func hasHistory(since version: VersionVector) -> Bool {
    monitor.withLock { firstSegment(since: version) != nil }
  }

  /// The last segment that begins with no event that a version hasn't seen.
  private func firstSegment(since version: VersionVector) -> UInt64? {
    files.versions.filter { version.contains($0.value) }.keys.max()
  }

  /// The changes that this store's document has and a version lacks, with old segments if
  /// they make the delta shorter.
  func delta(
    of document: Document, since version: VersionVector
  ) throws(StoreError) -> TableDelta<Document> {
    guard !document.isLogWhole(since: version), hasHistory(since: version) else {
      return document.delta(since: version)
    }
    return document.delta(since: version, using: try removalHistory(since: version))
  }

  /// The removals since a version, as far as the kept segments have them.
  func removalHistory(since version: VersionVector) throws(StoreError) -> RemovalHistory {
    // The files of another process may hold later changes than were read from them.
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
    // A segment that can't be read now is the same as one that was never kept: the history
    // ends, and the delta is made without it.
    while let bytes = try? folder.read(FileNames.segment(segment), in: folder.segments) {
      let path = folder.path(of: FileNames.segment(segment), in: folder.segments)
      guard let scan = try? SegmentScan(bytes),
        (try? folder.requireOwn(
          scan.file, named: segment, of: number, by: manifest, at: path)) != nil
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
        // Earlier removals have other names since.
        if isMended { return RemovalHistory(since: begin) }
      }
      segment += 1
    }
    return history
  }
}

extension StoreCore {
  /// Reports records that were purged on one side and edited on the other, after a delta
  /// has brought the two together.
  ///
  /// It checks only the records that the delta has changed, if these are known. The monitor
  /// is held.
  func tellOfOrphans(among records: Set<Document.RecordID>?, since before: Document) {
    let orphans: [Document.RecordID]
    if let records {
      orphans = records.filter { record in
        working.document.isOrphaned(record) && !before.isOrphaned(record)
      }
    } else {
      let known = Set(before.orphanedRecords.map(\.id))
      orphans = working.document.orphanedRecords.map(\.id).filter { !known.contains($0) }
    }
    if !orphans.isEmpty { tell(.recordsOrphaned(orphans.sorted())) }
  }
}

extension StoreCore {
  /// Finishes the mending of forks; the monitor is held.
  ///
  /// The versions that peers had of these replicas may be of events of the other line, so
  /// they are cut back to where the lines parted. If this store's own line has another name
  /// now, the store writes on as another replica.
  func finishMending(_ mended: ContiguousArray<Mended>) {
    queuedRun = CommitRun()
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
      let fork = Store.MendedFork(
        replica: mend.replica, name: mend.reissue.name, events: mend.events)
      // Each peer that still has the old line causes another mending.
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
  /// Records that replicas have written in two places, while nothing that shows it could be
  /// applied yet.
  func noteForks(of replicas: Set<ReplicaID>) {
    guard !replicas.isEmpty else { return }
    monitor.withLock {
      for replica in replicas.sorted() {
        working.document.noteFork(of: replica)
        committed?.document.noteFork(of: replica)
      }
    }
  }
}

extension Document {
  /// The changes since a version, with old removals if they make the delta shorter.
  func delta(
    since version: VersionVector, using history: RemovalHistory
  ) -> TableDelta<Document> {
    // If more rows were removed than remain, listing the remaining ones is shorter.
    let isWorthIt = history.count <= _table.rowCount
    let delta = isWorthIt ? delta(since: version, history: history) : nil
    return delta ?? self.delta(since: version)
  }

  /// Applies a change of the log again, the way it was applied first; returns whether it
  /// mended a fork.
  @discardableResult
  mutating func replay(
    _ delta: TableDelta<Document>, mending forks: ContiguousArray<ReplicaID>
  ) throws(DeltaError) -> Bool {
    try !_table.apply(delta.changes, mending: forks).mended.isEmpty
  }
}
