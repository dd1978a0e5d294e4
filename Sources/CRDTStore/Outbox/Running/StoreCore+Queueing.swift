import CRDTKit

extension StoreCore {
  /// Puts what a commit does to records of which a server is told into the outbox;
  /// gives the operations that answer for it, and what is to be kept of them.
  func enqueue(
    _ staged: [StagedChange], _ counters: ClosedRange<UInt64>,
    replacing replaced: [Document.RecordID: [String: Document.Value]]
  ) -> (operations: [OperationID], changes: [LocalChange]) {
    guard options.models.hasQueue else { return ([], []) }
    var (operations, changes): ([OperationID], [LocalChange]) = ([], [])
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
      // It is of a new event, so it can't be there already.
      guard let effects = try? outbox.enqueue(operation) else { continue }
      changes += noted(effects)
      var id = operation.id
      for case .coalesced(_, into: let older) in effects.actions { id = older }
      operations.append(id)
    }
    return (operations, changes)
  }

  /// The records that a commit deletes or restores, with what they hold before it.
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

  /// What a server is told of a commit: an operation for each record.
  ///
  /// Of those that are made anew or restored, the fields before the commit are given.
  /// What a commit made and deleted again comes apart: the server is told nothing of it,
  /// unless a deletion that waits to be sent loses. A commit that is still to be made is
  /// not in the records yet.
  func operations(
    of staged: [StagedChange], _ counters: ClosedRange<UInt64>, isDone: Bool = true,
    replacing replaced: [Document.RecordID: [String: Document.Value]]
  ) -> (told: [OutboxOperation], passing: [OutboxOperation]) {
    var news: [RecordNews] = []
    // Where the records' news stand, if there may be more than one.
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
      OutboxOperation(
        id: OperationID(dot: dot, record: news.record), dots: counters,
        kind: news.kind ?? .delete, createdMilliseconds: now, changes: news.changes,
        baseVersion: serverVersions[news.record]?.version)
    }
    var told: [OutboxOperation] = []
    var passing: [OutboxOperation] = []
    for (news, operation) in zip(news, all) {
      if news.kind != nil {
        told.append(operation)
      } else if !operation.changes.isEmpty {
        passing.append(operation)
      }
    }
    return (told, passing)
  }

  /// What a server is told of one record.
  private struct RecordNews {
    let record: Document.RecordID
    /// `nil` where there is nothing to be told in the end.
    var kind: OperationKind?
    var changes: [Document.FieldChange] = []
    /// Whether the changes are all that the record holds after the commit.
    var isWhole = false
  }

  /// Adds a change of a record to those before it in the same commit.
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
      // What was changed before is kept: if the deletion loses, the server is to have it.
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
      // With what it had, the server's changes since are known from those made here.
      news.changes = heldFields(of: record).assignments(over: replaced ?? [:])
    case .restoreOrphan(let orphan):
      news.kind = .create
      news.isWhole = isDone
      news.changes = orphan.fields.assignments(over: [:])
    // The server knows of no such record, or deletes it as it hears of the deletion.
    case .discardOrphan: break
    case .resolve(let conflict, with: let value):
      if news.isWhole { return }
      news.kind = news.kind ?? .update
      let known = conflict.sides.first { $0.replica.principal == options.authority }
      let before = (known ?? conflict.sides.first)?.value
      news.changes.join([Document.FieldChange(conflict.path, .assign(value, before: before))])
    }
  }

  /// The fields of a record; those that it comes back with, where it is deleted.
  func heldFields(of record: Document.RecordID) -> [String: Document.Value] {
    working.fields(of: record.record, in: record.collection)
      ?? working.deletedFields(of: record.record, in: record.collection) ?? [:]
  }

  private func isThere(_ record: Document.RecordID) -> Bool {
    working.contains(record.record, in: record.collection)
  }

  /// Tells the app of what happened in the outbox.
  func tell(of action: OutboxAction) {
    switch action {
    case .backlog(let count): tell(.backlog(count: count))
    case .deadLettered(let operation): tell(.deadLettered(operation))
    case .superseded(let operation): tell(.superseded(operation))
    case .retried(let operation): tell(.retried(operation))
    case .discarded(let operation): tell(.discarded(operation))
    case .credentialsNeeded: tell(.credentialsNeeded)
    // Whose commit was joined with an older operation is told by the receipt.
    case .accepted, .coalesced, .rebase: break
    }
  }
}

extension Document.FieldChange {
  /// Whether it does more than to assign what was there.
  fileprivate var makesDifference: Bool {
    if case .assign(let value, let before) = change { value != before } else { true }
  }
}

extension ServerAccess {
  /// Whether a server is told of changes.
  var tellsServer: Bool {
    switch self {
    case .queued, .onlineOnly: true
    case .none, .readOnly: false
    }
  }
}

extension StoreCore {
  /// Forgets what the server is known to have of records that it has deleted, too, and of
  /// which nothing is left here once they were purged.
  ///
  /// A record of which something waits to be sent, or is a dead letter, is kept in mind. The
  /// monitor is held, and the store can be written.
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
