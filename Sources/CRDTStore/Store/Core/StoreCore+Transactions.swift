import CRDTKit

extension StoreCore {
  /// Commits a transaction, in memory; returns the commit that the caller has to wait for,
  /// or `nil` for none.
  ///
  /// First the body stages its changes, and nothing is changed, so there is nothing to undo
  /// if it throws. Then all of them are made.
  func write(
    _ durability: Store.Durability, _ body: (inout Store.Transaction) throws -> Void
  ) throws -> (Store.Receipt, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    return try commit(try plan(body), durability)
  }

  /// The changes that a transaction has staged.
  struct Plan {
    var staged: [StagedChange] = []
    var local: [LocalChange] = []
    var localRecords: [Document.RecordID: [String: Document.Value]?] = [:]
    /// The flags that mark the transaction's drafts as committed.
    var drafts: [Locked<Bool>] = []
    /// The changes that it left out, since they could not be made.
    var omissions: [Store.Receipt.Omission] = []
  }

  /// Stages the changes of a transaction; the monitor is held.
  func plan(
    isOnline: Bool = false, _ body: (inout Store.Transaction) throws -> Void
  ) throws -> Plan {
    var transaction = Store.Transaction(self, isOnline: isOnline)
    // The body may read the store, which is unchanged so far.
    try monitor.allowingReads { try body(&transaction) }
    let undone = UndoneCommits.changes(adding: transaction.undone, to: local)
    transaction.staged.removeAll { $0.isEmpty }
    return Plan(
      staged: transaction.staged, local: transaction.local + undone,
      localRecords: transaction.localRecordChanges, drafts: transaction.drafts,
      omissions: transaction.omissions)
  }

  /// Makes the changes of a transaction, in memory; the monitor is held.
  ///
  /// If `isQueued` is `false`, the server knows of them already, or is not to know.
  func commit(
    _ plan: Plan, _ durability: Store.Durability, isQueued: Bool = true,
    keeping others: [LocalChange] = []
  ) throws -> (Store.Receipt, commit: UInt64?) {
    var events: ClosedRange<UInt64>?
    var operations: [Outbox.OperationID] = []
    var number: UInt64?
    let local = plan.local + others
    let replacedRows = plan.staged.map { change in
      working.document.rowsReplaced(by: change.fields, in: change.record, knowing: putBack)
    }
    let texts = replacedRows.map { working.document.texts(among: $0) }
    // Without texts there is no copy, so that nothing has to be copied when it is changed.
    let before = texts.contains { !$0.isEmpty } ? working.document : nil
    if !plan.staged.isEmpty {
      let replaced = isQueued ? replacedRecords(by: plan.staged) : [:]
      var putBackAfter = putBack
      (_, number) = try editLocked(
        durability, alsoChanging: Set(plan.localRecords.keys),
        local: { counters in
          events = counters
          let local =
            local + putBack.update(to: putBackAfter) { working.document._table.row(at: $0) != nil }
          guard isQueued else { return local }
          let queued = enqueue(plan.staged, counters, replacing: replaced)
          operations = queued.operations
          return local + queued.changes
        },
        { editor in
          editor.putBack = putBackAfter
          for change in plan.staged { editor.perform(change) }
          putBackAfter = editor.putBack
        })
    }
    if !operations.isEmpty { queuedCommit = appended }
    // If the document is unchanged, records kept in this store only may still have changed.
    if events == nil {
      number = commitLocally(
        local, durability, of: Set(plan.localRecords.keys))
    }
    working.localRecords.apply(plan.localRecords)
    working.settings.apply(plan.local.ofSettings)
    for draft in plan.drafts { draft.withLock { $0 = true } }
    var receipt = Store.Receipt(
      replica: identity.replica, events: events, operations: operations, changes: plan.staged,
      omissions: plan.omissions)
    if events != nil {
      let removed = before.map { working.document.removedTexts(since: $0) }
      receipt.marks = receipt.changes.enumerated().map { place, change in
        var mark = working.document.mark(
          of: change.fields, by: identity.replica, in: change.record,
          time: plan.staged[place].takenTime, isRestored: change.isRestoration)
        mark.replaced = working.document.gone(replacedRows[place])
        if let removed { mark.texts = removed.of(texts[place], in: change.record) }
        return mark
      }
    }
    return (receipt, number)
  }
}

extension StoreCore {
  /// Throws if counters would be exchanged both with peers and with a server.
  ///
  /// A server's total doesn't say whose counts it includes: a peer's count would arrive
  /// from the peer and from the server, and be counted twice. The monitor is held.
  func checkCountsOnce() throws(StoreError) {
    for collection in servedCollections {
      let fields = working.document.schema.collections[collection]?.fields ?? [:]
      let counters = fields.filter { $0.value == .counter }.keys
      if let field = counters.min(by: { $0.description < $1.description }) {
        throw .countedTwice(collection: collection, field: field)
      }
    }
  }
}

/// Reads that happen while commits are made are ahead of the disk: they see commits that a
/// power cut may still take. A result that rests on such commits waits for them, as a
/// commit of one's own would: that there was nothing to change, that a record exists
/// already, an error.
extension StoreCore {
  /// The last commit that a caller with some durability may have read; `nil` if its result
  /// needn't wait.
  ///
  /// A caller that asks for no durability may use what readers see: relaxed commits, but
  /// not full ones that wait for the disk. The monitor is held.
  func commitRead(_ durability: Store.Durability) -> UInt64? {
    guard durable < appended, durability == .full || committed != nil else { return nil }
    return appended
  }

  /// Waits until everything that a call has read is durable, before the call throws an
  /// error.
  nonisolated(nonsending) func untilReadIsDurable(
    _ durability: Store.Durability = .full
  ) async throws(StoreError) {
    let commit = monitor.withLock { commitRead(durability) }
    if let commit { try await untilDurable(commit) }
  }

  /// Does the same, in place.
  func waitUntilReadIsDurable(_ durability: Store.Durability = .full) throws(StoreError) {
    let commit = monitor.withLock { commitRead(durability) }
    if let commit { try waitUntilDurable(commit) }
  }
}

extension StoreCore {
  /// Changes the document by a body that may throw, and waits for the commit, or for the
  /// commits that the body has read.
  nonisolated(nonsending) func answer<Answer>(
    _ durability: Store.Durability, _ body: () throws -> (Answer, commit: UInt64?)
  ) async throws -> Answer {
    let answer: (Answer, commit: UInt64?)
    do { answer = try body() } catch {
      try await untilReadIsDurable(durability)
      throw error
    }
    if let commit = answer.commit { try await untilDurable(commit) }
    return answer.0
  }

  /// Does the same, in place.
  func answerInPlace<Answer>(
    _ durability: Store.Durability, _ body: () throws -> (Answer, commit: UInt64?)
  ) throws -> Answer {
    let answer: (Answer, commit: UInt64?)
    do { answer = try body() } catch {
      try waitUntilReadIsDurable(durability)
      throw error
    }
    if let commit = answer.commit { try waitUntilDurable(commit) }
    return answer.0
  }
}
