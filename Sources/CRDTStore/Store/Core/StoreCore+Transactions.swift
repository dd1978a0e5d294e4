import CRDTKit

extension StoreCore {
  /// Commits what a transaction does, in memory; gives the number of the commit that
  /// the caller has to wait for, `nil` if none.
  ///
  /// First the body says what it wants, and nothing is changed, so there is nothing to
  /// undo where it throws; then all of it is done.
  func write(
    _ durability: Durability, _ body: (inout Transaction) throws -> Void
  ) throws -> (Receipt, commit: UInt64?) {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    return try commit(try plan(body), durability)
  }

  /// What a transaction wants to do.
  struct Plan {
    var staged: [StagedChange] = []
    var local: [LocalChange] = []
    var localRecords: [Document.RecordID: [String: Document.Value]?] = [:]
    /// Whether the drafts that are part of it were committed.
    var drafts: [Locked<Bool>] = []
  }

  /// What a transaction wants to do; the monitor is held.
  func plan(
    isOnline: Bool = false, _ body: (inout Transaction) throws -> Void
  ) throws -> Plan {
    // The transaction alone has the document, so that indexes are made where they are
    // kept, and what is done afterwards copies nothing.
    var document = Document(schema: working.schema)
    swap(&document, &working)
    var transaction = Transaction(
      document: document, localRecords: localRecords, models: options.models,
      replica: identity.replica)
    transaction.isOnline = isOnline
    document = Document()
    defer { swap(&transaction.document, &working) }
    try body(&transaction)
    return Plan(
      staged: transaction.staged, local: transaction.local,
      localRecords: transaction.localRecordChanges, drafts: transaction.drafts)
  }

  /// Does what a transaction wants, in memory; the monitor is held.
  ///
  /// Where it isn't queued, the server knows of it already, or is not to know.
  func commit(
    _ plan: Plan, _ durability: Durability, isQueued: Bool = true,
    keeping others: [LocalChange] = []
  ) throws -> (Receipt, commit: UInt64?) {
    var last: UInt64?
    var operations: [OperationID] = []
    var number: UInt64?
    let local = plan.local + others
    if !plan.staged.isEmpty {
      let replaced = isQueued ? replacedRecords(by: plan.staged) : [:]
      (_, number) = try editLocked(
        durability, alsoChanging: Set(plan.localRecords.keys),
        local: { counters in
          last = counters.upperBound
          guard isQueued else { return local }
          let queued = enqueue(plan.staged, counters, replacing: replaced)
          operations = queued.operations
          return local + queued.changes
        },
        { editor in
          for change in plan.staged { editor.perform(change) }
        })
    }
    if !operations.isEmpty { queuedCommit = appended }
    // Where nothing came to be different, there is still what is kept here alone.
    if last == nil {
      number = commitLocally(
        local, durability, of: Set(plan.localRecords.keys))
    }
    localRecords.apply(plan.localRecords)
    settings.apply(plan.local.ofSettings)
    for draft in plan.drafts { draft.withLock { $0 = true } }
    let receipt = Receipt(
      replica: identity.replica, dot: last.map { Dot(identity.replica, $0) },
      operations: operations, changes: plan.staged)
    return (receipt, number)
  }
}
