import CRDTKit

extension StoreCore {
  /// Queues the changes of a commit that go to a server.
  ///
  /// Returns the operations whose answers count for it, and the values to store.
  func enqueue(
    _ staged: [StagedChange], _ counters: ClosedRange<UInt64>,
    replacing replaced: [Document.RecordID: [String: Document.Value]]
  ) -> (operations: [Outbox.OperationID], changes: [LocalChange]) {
    guard options.models.hasQueue else { return ([], []) }
    var (operations, changes): ([Outbox.OperationID], [LocalChange]) = ([], [])
    let (told, passing) = self.operations(of: staged, counters, replacing: replaced)
    for case .create(let record, _) in staged {
      changes += noted(outbox.madeAnew(record))
    }
    for operation in passing {
      guard let (older, effects) = outbox.joinDeletion(operation) else { continue }
      changes += noted(effects)
      operations.append(older)
    }
    for operation in told {
      // The operation has a new event, so it can't be queued already.
      guard let effects = try? outbox.enqueue(operation) else { continue }
      changes += noted(effects)
      var id = operation.id
      for case .coalesced(_, into: let older) in effects.actions { id = older }
      operations.append(id)
    }
    return (operations, changes)
  }

  /// The records that a commit deletes or restores, with their previous contents.
  func replacedRecords(
    by staged: [StagedChange]
  ) -> [Document.RecordID: [String: Document.Value]] {
    guard options.models.hasQueue else { return [:] }
    var replaced: [Document.RecordID: [String: Document.Value]] = [:]
    for change in staged {
      let record = change.record
      switch change {
      case .delete where isThere(record):
        replaced[record] = working.fields(of: record.record, in: record.collection)
      case .restore where !isThere(record):
        replaced[record] = working.deletedFields(of: record.record, in: record.collection)
      case .create, .update, .revise, .delete, .restore, .restoreOrphan, .discardOrphan,
        .resolve, .takeBack:
        break
      }
    }
    return replaced
  }

  /// The operations of a commit for the server, one per record.
  ///
  /// Operations that recreate or restore a record include its fields before the commit.
  /// Records that the commit created and deleted again are returned separately: the server
  /// receives nothing about them, unless a pending deletion loses. A commit that is not
  /// made yet is not in the records.
  func operations(
    of staged: [StagedChange], _ counters: ClosedRange<UInt64>, isDone: Bool = true,
    replacing replaced: [Document.RecordID: [String: Document.Value]]
  ) -> (told: [Outbox.Operation], passing: [Outbox.Operation]) {
    var news: [RecordNews] = []
    // The index of each record's entry, if there may be more than one.
    var places: [Document.RecordID: Int] = [:]
    for change in staged {
      let record = change.record
      guard options.models[record.collection]?.access.tellsServer == true else { continue }
      let place = places[record] ?? news.count
      if place == news.count {
        news.append(RecordNews(record: record))
        if staged.count > 1 { places[record] = place }
      }
      add(change, to: &news[place], isDone: isDone, replacing: replaced[record])
    }
    let dot = Dot(identity.replica, counters.upperBound)
    let now = options.clock.milliseconds
    let all = news.map { news in
      Outbox.Operation(
        id: Outbox.OperationID(dot: dot, record: news.record), dots: counters,
        kind: news.kind ?? .delete, createdMilliseconds: now, changes: news.changes,
        baseVersion: serverVersions[news.record]?.version)
    }
    var told: [Outbox.Operation] = []
    var passing: [Outbox.Operation] = []
    for (news, operation) in zip(news, all) {
      if news.kind != nil {
        told.append(operation)
      } else if !operation.changes.isEmpty {
        passing.append(operation)
      }
    }
    return (told, passing)
  }

  /// The changes of one record for the server.
  private struct RecordNews {
    let record: Document.RecordID
    /// `nil` if there is nothing to send in the end.
    var kind: Outbox.OperationKind?
    var changes: [Document.FieldChange] = []
    /// Whether the changes give the record's complete contents after the commit.
    var isWhole = false
  }

  /// Adds a change of a record to the earlier ones of the same commit.
  private func add(
    _ change: StagedChange, to news: inout RecordNews, isDone: Bool,
    replacing replaced: [String: Document.Value]?
  ) {
    switch change {
    case .create(_, let fields):
      if news.kind == .delete, let replaced {
        news.kind = .update
        news.changes = fields.replacing(replaced)
      } else {
        news.kind = .create
        news.changes = fields
      }
      news.isWhole = false
    case .update(_, let fields, making: _), .revise(_, let fields, making: _, seen: _):
      if fields.isEmpty || news.isWhole { return }
      news.kind = news.kind ?? .update
      news.changes.join(fields)
    case .takeBack(_, let back):
      if back.differences.isEmpty || news.isWhole { return }
      news.kind = news.kind ?? .update
      news.changes.join(back.differences)
    case .delete:
      // Keep the earlier changes: the server receives them if the deletion loses.
      news.isWhole = false
      guard news.kind == .create else {
        news.kind = .delete
        return
      }
      news.kind = nil
      let rules = working.schema.collections[change.record.collection] ?? Schema.Collection()
      news.changes = news.changes.flatMap { $0.differences(under: rules) }
        .filter { $0.makesDifference }
    case .restore(let record):
      news.kind = .create
      news.isWhole = isDone
      // The previous contents tell the server's later changes from local ones.
      news.changes = heldFields(of: record).assignments(over: replaced ?? [:])
    case .restoreOrphan(let orphan):
      news.kind = .create
      news.isWhole = isDone
      news.changes = orphan.fields.assignments(over: [:])
    // The server has no such record, or deletes it when it receives the deletion.
    case .discardOrphan: break
    case .resolve(let conflict, with: let value):
      if news.isWhole { return }
      news.kind = news.kind ?? .update
      let known = conflict.sides.first { $0.replica.principal == options.authority }
      let before = (known ?? conflict.sides.first)?.value
      news.changes.join([Document.FieldChange(conflict.path, .assign(value, before: before))])
    }
  }

  /// The fields of a record; for a deleted one, those that a restoration brings back.
  func heldFields(of record: Document.RecordID) -> [String: Document.Value] {
    working.fields(of: record.record, in: record.collection)
      ?? working.deletedFields(of: record.record, in: record.collection) ?? [:]
  }

  private func isThere(_ record: Document.RecordID) -> Bool {
    working.contains(record.record, in: record.collection)
  }

  /// Reports an action of the outbox to the app.
  func tell(of action: OutboxAction) {
    switch action {
    case .backlog(let count): tell(.backlog(count: count))
    case .deadLettered(let operation): tell(.deadLettered(operation))
    case .superseded(let operation): tell(.superseded(operation))
    case .retried(let operation): tell(.retried(operation))
    case .discarded(let operation): tell(.discarded(operation))
    case .credentialsNeeded: tell(.credentialsNeeded)
    // The receipt tells whether a commit was merged into an older operation.
    case .accepted, .coalesced, .rebase: break
    }
  }
}

extension Document.FieldChange {
  /// Whether it does more than assign the previous value again.
  fileprivate var makesDifference: Bool {
    if case .assign(let value, let before) = change { value != before } else { true }
  }
}

extension ServerAccess {
  /// Whether changes are sent to a server.
  var tellsServer: Bool {
    switch self {
    case .queued, .onlineOnly: true
    case .none, .readOnly: false
    }
  }
}

extension StoreCore {
  /// Forgets the known server state of purged records that the server has deleted, too.
  ///
  /// A record of which something waits to be sent, or is a dead letter, is kept in mind.
  /// Requires the monitor's lock and a writable store.
  func forgetPurgedRecords() {
    let gone = serverVersions.deletedRecords.filter { record in
      !working.contains(record.record, in: record.collection)
        && working.deletion(of: record.record, in: record.collection) == nil
        && !working.isOrphaned(record) && outbox.operations(of: record).isEmpty
    }
    for record in gone { serverVersions[record] = nil }
    _ = commitLocally(gone.sorted().map { ServerVersions.removal(of: $0) }, .relaxed)
  }
}
