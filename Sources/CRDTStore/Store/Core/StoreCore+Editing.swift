import CRDTKit

extension StoreCore {
  /// Commits what a body does to the document, in memory.
  ///
  /// Returns the commit that the caller has to wait for before it returns; `nil` for none.
  /// An edit of the app obeys its models' rules about a server. Upkeep doesn't change the
  /// fields of records.
  func edit<Result>(
    _ durability: Store.Durability, isUpkeep: Bool = false,
    _ body: (inout Document.Editor) -> Result
  ) throws(StoreError) -> (Result, commit: UInt64?) {
    do {
      return try edit(durability, keepingCopy: false, isUpkeep: isUpkeep, body)
    } catch let error as StoreError {
      throw error
    } catch {
      // The body doesn't throw, so there is no other error.
      throw .closed(path: path)
    }
  }

  /// Commits what a body does to the document, in memory, unless it throws.
  ///
  /// The previous document is held meanwhile, so the pages that the body touches are
  /// copied.
  func edit<Result>(
    _ durability: Store.Durability, undoing body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    try edit(durability, keepingCopy: true, isUpkeep: false, body)
  }

  private func edit<Result>(
    _ durability: Store.Durability, keepingCopy keepsCopy: Bool, isUpkeep: Bool,
    _ body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    if options.models.hasServer, !isUpkeep { return try editServed(durability, body) }
    return try editLocked(durability, keepingCopy: keepsCopy, body)
  }

  /// Commits what a body does, in memory, together with changes of local values.
  ///
  /// The monitor is held, and the store can be written. `author` is the replica that
  /// writes, if it isn't the store's own. `others` are records kept in this store only that
  /// are changed as well. `check` receives the records that the body has changed, and
  /// refuses the commit by throwing. `makeLocal` receives the counters of the events that
  /// the body made, and returns the changes of local values that belong to the commit. It
  /// isn't called if there are no events.
  func editLocked<Result>(
    _ durability: Store.Durability, as author: ReplicaID? = nil,
    keepingCopy keepsCopy: Bool = false,
    alsoChanging others: Set<Document.RecordID> = [],
    checking check: ((Set<Document.RecordID>) throws -> Void)? = nil,
    local makeLocal: (ClosedRange<UInt64>) -> [LocalChange] = { _ in [] },
    _ body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    let limit = limitError
    // A commit that must be durable is visible only once it is, and so are those after it.
    let waits = durability == .full || committed != nil || batch.size > Self.batchBytesMax
    let wasCommitted = committed
    let before = keepsCopy || limit != nil ? working.document : nil
    if waits { keepSeen() }
    var stamp = nextStamp()
    if let author { stamp = HybridTimestamp(time: stamp.time, replica: author) }
    let firstEvent = working.document._table.seen(of: stamp.replica) + 1
    var result: Result?
    let delta: TableDelta<Document>
    var records: Set<Document.RecordID>?
    do {
      if changes.hasSubscribers || check != nil {
        var noted: Set<Document.RecordID> = []
        delta = try working.document.edit(at: stamp, noting: &noted) { result = try body(&$0) }
        records = noted
        try check?(noted)
      } else {
        delta = try working.document.edit(at: stamp) { result = try body(&$0) }
      }
    } catch {
      if let before { working.document = before }
      committed = wasCommitted
      throw error
    }
    guard let result else { throw StoreError.closed(path: path) }
    guard !delta.isEmpty else {
      committed = wasCommitted
      return (result, commitRead(durability))
    }
    if let limit, let before, !delta.onlyRemoves {
      working.document = before
      committed = wasCommitted
      throw limit
    }
    let localChanges = makeLocal(
      firstEvent...max(firstEvent, working.document._table.seen(of: stamp.replica)))
    add(delta, localChanges, Store.Change(records?.union(others)), waits: waits)
    return (result, waits ? appended : nil)
  }

  /// The size of a batch from which commits that don't wait for the disk wait as well.
  static let batchBytesMax = 1 << 24

  /// Commits changes of local values only, in memory; returns the commit to wait for, or
  /// `nil`.
  ///
  /// If there are no changes, that is the last commit that may have been read. The monitor
  /// is held, and the store can be written. Observers are notified of changed records that
  /// are kept in this store only.
  func commitLocally(
    _ changes: [LocalChange], _ durability: Store.Durability,
    of records: Set<Document.RecordID> = []
  ) -> UInt64? {
    guard !changes.isEmpty else { return commitRead(durability) }
    let waits = durability == .full || committed != nil || batch.size > Self.batchBytesMax
    if waits { keepSeen() }
    add(nil, changes, Store.Change(records), waits: waits)
    return waits ? appended : nil
  }

  /// Adds a change of the document, and of local values, to the batch.
  func add(
    _ delta: TableDelta<Document>?, _ localChanges: [LocalChange], _ change: Store.Change,
    waits: Bool, received: [UInt8] = [], mending forks: ContiguousArray<ReplicaID>? = nil
  ) {
    if let delta {
      if let forks {
        batch.add(delta, mending: forks, clockTime: clock.latest.time)
      } else if received.count >= BatchWriter.receivedSizeMin {
        batch.add(delta, received: received, clockTime: clock.latest.time)
      } else {
        batch.add(delta, to: working.document.version, clockTime: clock.latest.time)
      }
    }
    var change = change
    if !localChanges.isEmpty {
      batch.add(.local(localChanges))
      local.apply(localChanges)
      change.hasLocalChanges = true
    }
    appended += 1
    announce(change, isSeen: !waits)
    if waits { awaited = appended }
    if !waits { wakeWriterForRelaxed() }
  }

  /// Applies deltas from elsewhere, in memory; returns the commit to wait for, since known
  /// changes may not be durable yet.
  ///
  /// Deltas that don't name their whole base were made on a copy of the document, which is
  /// passed as well.
  ///
  /// If a single delta came in bytes that hold nothing else, the log takes these bytes. If
  /// a delta shows that a replica has written in two places, and has all the events of one,
  /// the fork is mended. An empty store whose document nobody has named takes the delta's
  /// document, and drops the one that was made with it.
  ///
  /// - Throws: ``StoreError`` if a delta is refused. The ones before it are committed.
  @discardableResult
  func apply(
    _ deltas: [TableDelta<Document>], madeOn copy: Document? = nil, received: [UInt8] = [],
    isOfKnownDocument: Bool = false
  ) throws(StoreError) -> (isNew: Bool, commit: UInt64) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    try checkCountsOnce()
    var deltas = deltas
    if let copy, copy._table.forks != working.document._table.forks {
      // Events that the copy knew may have other names now.
      deltas = deltas.map { $0.based(onAllOf: copy.version) }
    }
    return try applyLocked(deltas, received: received, isOfKnownDocument: isOfKnownDocument)
  }

  /// Applies deltas while the monitor is held, once the store is known to accept them.
  func applyLocked(
    _ deltas: [TableDelta<Document>], received: [UInt8] = [], isOfKnownDocument: Bool
  ) throws(StoreError) -> (isNew: Bool, commit: UInt64) {
    let wasCommitted = committed
    let commitBefore = appended
    keepSeen()
    // A copy that is held costs one copy of the columns, so it is made once for all deltas.
    let before = options.hasThreads ? working.document : nil
    var records: Set<Document.RecordID>? = []
    defer {
      if appended == commitBefore {
        committed = wasCommitted
      } else if let before {
        tellOfOrphans(among: records, since: before)
      }
    }
    var applied: [TableDelta<Document>] = []
    do throws(StoreError) {
      for delta in deltas {
        try applyLocked(
          delta, received: received, isOfKnownDocument: isOfKnownDocument, noting: &records)
        applied.append(delta)
      }
    } catch {
      if appended > commitBefore { removeRepeats(upon: applied) }
      throw error
    }
    if appended > commitBefore { removeRepeats(upon: applied) }
    return (appended > commitBefore, appended)
  }

  /// Applies a delta to what is not yet seen by readers, and inserts the records that it
  /// changes into a set; `nil` stands for all of them.
  private func applyLocked(
    _ delta: TableDelta<Document>, received: [UInt8], isOfKnownDocument: Bool,
    noting records: inout Set<Document.RecordID>?
  ) throws(StoreError) {
    if let limitError, !delta.onlyRemoves { throw limitError }
    if let latest = delta.latestTimestamp {
      do throws(HybridLogicalClock.DriftError) {
        try clock.receive(latest, wallMilliseconds: options.clock.milliseconds)
      } catch {
        throw .clockDrift(error)
      }
    }
    var changed =
      options.hasThreads || changes.hasSubscribers
      ? working.document.recordsChanged(by: delta) : nil
    let losesDocument = !isOfKnownDocument && ownDocument?.isOpen == true
    let change: TableDelta<Document>
    var isAllNew: Bool
    let mended: ContiguousArray<Mended>
    do throws(DeltaError) {
      (change, isAllNew) = try logged(delta)
      let result = try working.document._table.apply(change.changes, mending: [])
      guard result.isNew else { return }
      mended = result.mended
    } catch {
      throw .delta(error)
    }
    if !mended.isEmpty { (changed, isAllNew) = (nil, false) }
    if let changed { records?.formUnion(changed) } else { records = nil }
    if losesDocument { become(nil) }
    if isAllNew {
      let isAsReceived =
        change.version == delta.version
        && change.version.allSatisfy { change.base[$0.replica] == delta.base[$0.replica] }
      add(
        change, [], Store.Change(changed), waits: true, received: isAsReceived ? received : [])
    } else {
      let forks = ContiguousArray(mended.lazy.filter { !$0.isWithinSide }.map(\.replica))
      add(change, [], Store.Change(changed), waits: true, mending: forks)
    }
    if !mended.isEmpty { finishMending(mended) }
  }

  /// Returns a delta in the form in which it is applied and logged, and whether it has only
  /// events that are new here.
  ///
  /// It is the same form for both, so that replaying the log does what was done. The events
  /// that are known here are left out, unless the delta shows a fork with them.
  ///
  /// - Throws: `DeltaError.gap` if the delta doesn't fit.
  private func logged(
    _ delta: TableDelta<Document>
  ) throws(DeltaError) -> (change: TableDelta<Document>, isAllNew: Bool) {
    do throws(DeltaError) {
      try working.document.check(delta)
      let news = delta.news(for: working.document)
      try working.document.check(news)
      return news.isEmpty ? (delta, false) : (news, true)
    } catch {
      guard case .fork = error else { throw error }
      return (delta.based(onAllOf: working.document.version), false)
    }
  }

  /// The error for commits once the needed files have reached their limit; commits that
  /// only remove are accepted.
  var limitError: StoreError? {
    guard let limit = options.hardLimitBytes else { return nil }
    let bytes = files.bytesNeeded(by: manifest) + batch.size
    return bytes < limit ? nil : .storageLimit(bytes: bytes, max: limit)
  }

  /// Notifies observers of a change: at once, or when the commit becomes visible.
  ///
  /// An observer that subscribes before that must receive it too, so the change is noted
  /// even if there is no observer yet.
  private func announce(_ change: Store.Change, isSeen: Bool) {
    if isSeen {
      if changes.hasSubscribers { changes.send(change) }
    } else {
      announcements.append(Announcement(commit: appended, change: change))
    }
  }
}
