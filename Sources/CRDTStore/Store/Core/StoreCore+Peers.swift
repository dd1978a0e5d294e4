import CRDTKit

extension StoreCore {
  /// The peers that the store waits for: those that were in touch lately.
  var waitedForPeers: [PeerRecord] {
    let now = Int128(options.clock.milliseconds)
    let retention = max(options.peerRetention.wholeMilliseconds, 0)
    return identity.peers.filter { now < Int128($0.lastContactMilliseconds) + retention }
  }

  /// The version that the store and all peers that it waits for are known to have.
  ///
  /// A peer's version counts only as of a moment up to which all its own events are here.
  /// Otherwise the peer may have written to a record before it saw it deleted, and that
  /// write may still be on its way.
  func versionKnownToPeers() -> VersionVector {
    let version = working.document.version
    return waitedForPeers.reduce(version) { known, peer in
      guard version[peer.replica] >= peer.version[peer.replica] else { return [:] }
      return known.common(with: peer.version)
    }
  }

  /// The first segment that a peer that is behind needs, as far as history is kept.
  func firstNeededSegment(before live: UInt64) -> UInt64 {
    monitor.withLock {
      let known = versionKnownToPeers()
      var (first, bytes) = (live, 0)
      while first > 1, let size = files.segments[first - 1],
        let end = files.versions[first], !known.contains(end)
      {
        bytes += size
        guard bytes <= options.maximumPeerHistoryBytes else { break }
        first -= 1
      }
      return first
    }
  }

  /// Notes what a peer has; also in the log, if it is new or its stream has ended.
  ///
  /// If a crash loses a later note, the peer counts as having less than it has. The store
  /// then keeps more for it, and nothing goes wrong.
  func note(_ peer: PeerRecord, isRecorded: Bool) {
    monitor.withLock {
      guard !isClosing, log != nil, peer.replica != identity.replica else { return }
      var peer = peer
      peer.version = knownPart(of: peer.version, toPeer: peer.replica)
      let isNew = !identity.peers.contains { $0.replica == peer.replica }
      let forgotten = identity.note(peer)
      if let forgotten { tell(.forgotPeer(forgotten)) }
      peerNews.send(Store.Change([]))
      guard isRecorded || isNew, failure == nil else {
        unrecordedPeers.insert(peer.replica)
        return
      }
      unrecordedPeers.remove(peer.replica)
      batch.add(.peer(peer))
      if let forgotten { batch.add(.forgottenPeer(forgotten)) }
      wakeWriterForRelaxed()
    }
  }

  /// The part of a peer's version that is worth keeping: the events that are here as well,
  /// and those that the peer wrote itself.
  ///
  /// The version may name any number of replicas that are unknown here. The monitor is held.
  func knownPart(of version: VersionVector, toPeer replica: ReplicaID) -> VersionVector {
    var known = version.common(with: working.document.version)
    known[replica] = version[replica]
    return known
  }

  /// Writes the notes about peers that aren't in the log yet; the monitor is held.
  func recordPeers() {
    for peer in identity.peers where unrecordedPeers.contains(peer.replica) {
      batch.add(.peer(peer))
    }
    unrecordedPeers = []
  }

  /// Stops waiting for a peer.
  func forget(_ replica: ReplicaID) throws(StoreError) -> UInt64 {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    identity.peers.removeAll { $0.replica == replica }
    batch.add(.forgottenPeer(replica))
    appended += 1
    return appended
  }
}

/// Edits of documents whose changes go to a server: their effects on records are
/// determined, and then handled like those of a transaction.
extension StoreCore {
  /// Commits what a body does, in memory, with the operations for the server; the monitor
  /// is held.
  ///
  /// - Throws: The errors of the body; ``StoreError/refused(_:)`` if a model forbids it.
  func editServed<Result>(
    _ durability: Store.Durability, _ body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    let before = working.document
    var staged: [StagedChange] = []
    var operations: [Outbox.OperationID] = []
    let answer = try editLocked(
      durability, keepingCopy: true,
      checking: { staged = try self.changes(of: $0, since: before) },
      local: { counters in
        var replaced: [Document.RecordID: [String: Document.Value]] = [:]
        for record in staged.map(\.record) {
          replaced[record] =
            before.fields(of: record.record, in: record.collection)
            ?? before.deletedFields(of: record.record, in: record.collection)
        }
        let queued = enqueue(staged, counters, replacing: replaced)
        operations = queued.operations
        return queued.changes
      }, body)
    if !operations.isEmpty { queuedCommit = appended }
    return answer
  }

  /// The changes to records that go to a server.
  private func changes(
    of records: Set<Document.RecordID>, since before: Document
  ) throws(StoreError) -> [StagedChange] {
    var staged: [StagedChange] = []
    for record in records.sorted() {
      let (name, collection) = (record.record, record.collection)
      switch options.models[collection]?.access ?? .peersOnly {
      case .peersOnly: continue
      case .readOnly: throw .refused(.readOnly(collection: collection))
      case .onlineOnly: throw .refused(.onlineOnly(collection: collection))
      case .queued, .queuedAsEdits: break
      }
      let rules = working.document.schema.collections[collection]
      let isSet = { [document = working.document] path in
        document.holdsSet(path, of: name, in: collection)
      }
      let old = before.fields(of: name, in: collection)
      switch (old, working.document.fields(of: name, in: collection)) {
      case (nil, nil): continue
      case (_?, nil): staged.append(.delete(record))
      case (nil, let new?):
        let wasDeleted = before.deletion(of: name, in: collection) != nil
        let fields = Document.differences(from: [:], to: new, under: rules, isSet: isSet)
        staged.append(wasDeleted ? .restore(record) : .create(record, fields))
      case (let old?, let new?):
        let fields = Document.differences(from: old, to: new, under: rules, isSet: isSet)
        if !fields.isEmpty { staged.append(.update(record, fields)) }
      }
      if let path = staged.last?.fields.lazy.compactMap(\.pathOfNoNumber).first {
        throw .refused(.notFinite(record, path))
      }
    }
    return staged
  }
}
