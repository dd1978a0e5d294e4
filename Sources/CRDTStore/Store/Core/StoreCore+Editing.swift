import CRDTKit

extension StoreCore {
  /// Commits what a body does to the document, in memory; gives the number of the
  /// commit that the caller has to wait for, `nil` if none.
  func edit<Result>(
    _ durability: Durability, _ body: (inout Document.Editor) -> Result
  ) throws(StoreError) -> (Result, commit: UInt64?) {
    do {
      return try edit(durability, keepingCopy: false, body)
    } catch let error as StoreError {
      throw error
    } catch {
      // The body doesn't throw, so there is no other error.
      throw .closed(path: path)
    }
  }

  /// Commits what a body does to the document, in memory, unless it throws.
  ///
  /// The document before is held meanwhile, so the pages that the body touches are
  /// copied.
  func edit<Result>(
    _ durability: Durability, undoing body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    try edit(durability, keepingCopy: true, body)
  }

  private func edit<Result>(
    _ durability: Durability, keepingCopy keepsCopy: Bool,
    _ body: (inout Document.Editor) throws -> Result
  ) throws -> (Result, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    let limit = limitError
    // A commit that must be durable isn't seen before it is, nor are those after it.
    let waits = durability == .full || committed != nil || batch.size > Self.batchBytesMax
    let wasCommitted = committed
    let before = keepsCopy || limit != nil ? working : nil
    if waits, committed == nil { committed = working }
    let stamp = clock.now(wallMilliseconds: options.clock.milliseconds)
    var result: Result?
    let delta: TableDelta<Document>
    var records: Set<Document.RecordID>?
    do {
      if changes.hasSubscribers {
        var noted: Set<Document.RecordID> = []
        delta = try working.edit(at: stamp, noting: &noted) { result = try body(&$0) }
        records = noted
      } else {
        delta = try working.edit(at: stamp) { result = try body(&$0) }
      }
    } catch {
      if let before { working = before }
      committed = wasCommitted
      throw error
    }
    guard let result else { throw StoreError.closed(path: path) }
    guard !delta.isEmpty else {
      committed = wasCommitted
      return (result, nil)
    }
    if let limit, let before, !delta.onlyRemoves {
      working = before
      committed = wasCommitted
      throw limit
    }
    add(delta, StoreChange(records), waits: waits)
    return (result, waits ? appended : nil)
  }

  /// How large a batch may grow before commits that don't wait for the disk do.
  static let batchBytesMax = 1 << 24

  /// Adds a change of the document to the batch.
  private func add(_ delta: TableDelta<Document>, _ change: StoreChange, waits: Bool) {
    batch.add(delta, clockTime: clock.latest.time)
    appended += 1
    announce(change, isSeen: !waits)
    if waits { awaited = appended }
    if !waits { wakeWriterForRelaxed() }
  }

  /// Takes in a delta from elsewhere, in memory; gives the number of the commit to
  /// wait for, since what isn't new may not yet be durable.
  func apply(_ delta: TableDelta<Document>) throws(StoreError) -> (isNew: Bool, commit: UInt64) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    if let limitError, !delta.onlyRemoves { throw limitError }
    if let latest = delta.latestTimestamp {
      do throws(ClockDriftError) {
        try clock.receive(latest, wallMilliseconds: options.clock.milliseconds)
      } catch {
        throw .clockDrift(error)
      }
    }
    let wasCommitted = committed
    if committed == nil { committed = working }
    let records = changes.hasSubscribers ? working.recordsChanged(by: delta) : nil
    do throws(DeltaError) {
      guard try working.apply(delta) else {
        committed = wasCommitted
        return (false, appended)
      }
    } catch {
      committed = wasCommitted
      throw .delta(error)
    }
    add(delta, StoreChange(records), waits: true)
    return (true, appended)
  }

  /// What commits are refused with, where what the store needs has reached its limit;
  /// those are let through that only remove.
  private var limitError: StoreError? {
    guard let limit = options.hardLimitBytes else { return nil }
    let bytes = files.bytesNeeded(by: manifest) + batch.size
    return bytes < limit ? nil : .storageLimit(bytes: bytes, max: limit)
  }

  /// Tells observers what has changed: at once, or when the commit is seen.
  private func announce(_ change: StoreChange, isSeen: Bool) {
    guard changes.hasSubscribers else { return }
    if isSeen {
      changes.send(change)
    } else {
      announcements.append(Announcement(commit: appended, change: change))
    }
  }
}
