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
    /// What it would have done, and could not.
    var omissions: [Receipt.Omission] = []
  }

  /// What a transaction wants to do; the monitor is held.
  func plan(
    isOnline: Bool = false, _ body: (inout Transaction) throws -> Void
  ) throws -> Plan {
    var transaction = Transaction(self, isOnline: isOnline)
    // The body may read the store: what it has is as before.
    try monitor.allowingReads { try body(&transaction) }
    let undone = UndoneCommits.changes(adding: transaction.undone, to: local)
    transaction.staged.removeAll { $0.isEmpty }
    return Plan(
      staged: transaction.staged, local: transaction.local + undone,
      localRecords: transaction.localRecordChanges, drafts: transaction.drafts,
      omissions: transaction.omissions)
  }

  /// Does what a transaction wants, in memory; the monitor is held.
  ///
  /// Where it isn't queued, the server knows of it already, or is not to know.
  func commit(
    _ plan: Plan, _ durability: Durability, isQueued: Bool = true,
    keeping others: [LocalChange] = []
  ) throws -> (Receipt, commit: UInt64?) {
    var events: ClosedRange<UInt64>?
    var operations: [OperationID] = []
    var number: UInt64?
    let local = plan.local + others
    if !plan.staged.isEmpty {
      let replaced = isQueued ? replacedRecords(by: plan.staged) : [:]
      (_, number) = try editLocked(
        durability, alsoChanging: Set(plan.localRecords.keys),
        local: { counters in
          events = counters
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
    if events == nil {
      number = commitLocally(
        local, durability, of: Set(plan.localRecords.keys))
    }
    localRecords.apply(plan.localRecords)
    settings.apply(plan.local.ofSettings)
    for draft in plan.drafts { draft.withLock { $0 = true } }
    var receipt = Receipt(
      replica: identity.replica, events: events, operations: operations, changes: plan.staged,
      omissions: plan.omissions)
    if events != nil {
      receipt.marks = receipt.changes.enumerated().map { place, change in
        working.mark(
          of: change.fields, by: identity.replica, in: change.record,
          time: plan.staged[place].takenTime, isRestored: change.isRestoration)
      }
    }
    return (receipt, number)
  }
}
