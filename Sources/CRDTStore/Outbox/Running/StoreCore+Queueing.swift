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
    if staged.allSatisfy(\.isPlainWrite) {
      queuedRun.extend(by: identity.replica, counters, of: working.document)
    } else {
      queuedRun = CommitRun()
    }
    var (operations, changes): ([Outbox.OperationID], [LocalChange]) = ([], [])
    let (told, passing) = self.operations(of: staged, counters, replacing: replaced)
    for change in staged {
      switch change {
      case .create(let record, _): changes += noted(outbox.madeAnew(record))
      // The whole record is told, with what was refused.
      case .restore(let record): changes += noted(outbox.supersedeLetters(of: record))
      case .restoreOrphan(let orphan):
        changes += noted(outbox.supersedeLetters(of: orphan.id))
      case .takeBack(let record, let back):
        guard let letter = letter(of: back.events, in: record), letter.kind == .update else {
          continue
        }
        let isWhole =
          back.result.left.isEmpty
          && letter.dots.upperBound == back.events.counters.upperBound
          && letter.dots.lowerBound >= back.events.counters.lowerBound
        // A dead letter of which all was undone has nothing left to be retried.
        let undone = Set(back.result.done.filter(\.isCount).map(\.path))
        changes += noted(
          isWhole
            ? outbox.discard(letter.id, isReverted: true).effects
            : outbox.discardCounts(at: undone, of: letter.id))
      default: break
      }
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

  /// Whether the server has a record that was deleted here, and the deletion is not sent
  /// again: the server has refused to delete it.
  private func serverKeeps(_ record: Document.RecordID) -> Bool {
    guard serverVersions[record]?.isDeleted == false else { return false }
    let deletions = outbox.operations(of: record).filter { $0.kind == .delete }
    return !deletions.isEmpty && deletions.allSatisfy { $0.failure != nil }
  }

  /// The records that a commit deletes, restores or makes anew, with their previous contents.
  func replacedRecords(
    by staged: [StagedChange]
  ) -> [Document.RecordID: [String: Document.Value]] {
    guard options.models.hasQueue else { return [:] }
    var replaced: [Document.RecordID: [String: Document.Value]] = [:]
    for change in staged {
      let record = change.record
      switch change {
      case .delete where isThere(record):
        replaced[record] = working.document.fields(of: record.record, in: record.collection)
      case .restore where !isThere(record):
        replaced[record] = working.document.deletedFields(of: record.record, in: record.collection)
      case .create where !isThere(record) && serverKeeps(record):
        replaced[record] = working.document.deletedFields(of: record.record, in: record.collection)
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
    for place in news.indices where news[place].kind == .update {
      tellAbsence(in: &news[place])
      guard isDone else { continue }
      tellMerged(in: &news[place])
      tellWhole(in: &news[place])
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

  /// Tells a removed field of the record as null, if its model reads that as no value.
  ///
  /// A server's record that lacks a field says nothing about it, so other apps would keep it.
  private func tellAbsence(in news: inout RecordNews) {
    guard let type = options.models[news.record.collection]?.type else { return }
    for place in news.changes.indices {
      let (path, change) = (news.changes[place].path, news.changes[place].change)
      guard path.names.count == 1, case .remove(let before) = change else { continue }
      var fields = heldFields(of: news.record)
      let wasRead = type.canRead(fields)
      fields[path.names[0]] = .null
      guard wasRead, type.canRead(fields) else { continue }
      news.changes[place] = Document.FieldChange(path, .assign(.null, before: before))
    }
  }

  /// Tells an object whole if only a part of it has changed, but the server has refused what
  /// made the object: the part alone would be an object that no model reads.
  private func tellWhole(in news: inout RecordNews) {
    guard news.changes.contains(where: { $0.path.names.count > 1 }) else { return }
    let refused = outbox.unheard(of: news.record).filter { $0.failure != nil && $0.kind == .update }
    if refused.isEmpty { return }
    let paths = refused.flatMap { $0.changes.map(\.path) }
    let (held, base) = (heldFields(of: news.record), base(of: news.record, without: refused))
    var changes: [Document.FieldChange] = []
    for change in news.changes {
      let names = change.path.names
      let outer = (1..<max(1, names.count)).lazy.map { FieldPath(Array(names.prefix($0))) }
      let whole = outer.first { path in
        (base.value(at: path) ?? [:]) == [:] && paths.contains { $0.names.starts(with: path.names) }
      }
      guard let whole, let value = held.value(at: whole) else {
        changes.append(change)
        continue
      }
      if changes.contains(where: { $0.path == whole }) { continue }
      changes.append(Document.FieldChange(whole, .assign(value, before: nil)))
    }
    news.changes = changes
  }

  /// Tells texts and lists as they read after the commit, with what others have changed.
  private func tellMerged(in news: inout RecordNews) {
    let (record, collection) = (news.record.record, news.record.collection)
    for place in news.changes.indices {
      let path = news.changes[place].path
      guard case .assign(let after, let before) = news.changes[place].change,
        isEditedTogether(path, of: news.record),
        let value = working.document.value(of: path, of: record, in: collection)
      else { continue }
      // What was there before the commit, which may have begun with an older value.
      let known = self.value(value, without: after, before, at: path, of: news.record)
      news.changes[place] = Document.FieldChange(path, .assign(value, before: known))
    }
  }

  /// Adds a change of a record to the earlier ones of the same commit.
  private func add(
    _ change: StagedChange, to news: inout RecordNews, isDone: Bool,
    replacing replaced: [String: Document.Value]?
  ) {
    switch change {
    case .create(_, let fields):
      if let replaced, news.kind == .delete || news.kind == nil && serverKeeps(news.record) {
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
    case .takeBack(let record, let back):
      var differences = back.differences
      // The server has no count to take back of what it has refused.
      if isRefused(back.events, of: record) { differences.removeAll(where: \.isCount) }
      if differences.isEmpty || news.isWhole { return }
      news.kind = news.kind ?? .update
      news.changes.join(differences)
    case .delete:
      // Keep the earlier changes: the server receives them if the deletion loses.
      news.isWhole = false
      guard news.kind == .create else {
        news.kind = .delete
        return
      }
      news.kind = nil
      let rules =
        working.document.schema.collections[change.record.collection] ?? Schema.Collection()
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
      news.changes = (isDone ? heldFields(of: orphan.id) : orphan.fields).assignments(over: [:])
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

  /// Whether what a commit changed in a record is a dead letter, or was one.
  private func isRefused(_ events: Document.CommitEvents, of record: Document.RecordID) -> Bool {
    let dot = Dot(events.replica, events.counters.upperBound)
    return letter(of: events, in: record) != nil
      || outcomes.ending(of: Outbox.OperationID(dot: dot, record: record), changing: [])
        == .discarded
  }

  /// The dead letter with what a commit changed in a record, unless its server failed.
  ///
  /// A server that only postponed it has hardly ever applied it.
  private func letter(
    of events: Document.CommitEvents, in record: Document.RecordID
  ) -> Outbox.Operation? {
    let dot = Dot(events.replica, events.counters.upperBound)
    return outbox.operations(of: record).first { operation in
      guard let failure = operation.failure, failure.cause != .serverFailed else { return false }
      return operation.covers(dot)
    }
  }

  /// The fields of a record; for a deleted one, those that a restoration brings back.
  func heldFields(of record: Document.RecordID) -> [String: Document.Value] {
    working.document.fields(of: record.record, in: record.collection)
      ?? working.document.deletedFields(of: record.record, in: record.collection) ?? [:]
  }

  private func isThere(_ record: Document.RecordID) -> Bool {
    working.document.contains(record.record, in: record.collection)
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

extension ServerAccess {
  /// Whether changes are sent to a server.
  var tellsServer: Bool {
    switch self {
    case .queued, .queuedAsEdits, .onlineOnly: true
    case .peersOnly, .readOnly: false
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
      !working.document.contains(record.record, in: record.collection)
        && working.document.deletion(of: record.record, in: record.collection) == nil
        && !working.document.isOrphaned(record) && outbox.operations(of: record).isEmpty
    }
    for record in gone { serverVersions[record] = nil }
    let reverted = gone.map(RevertedCommits.key).filter { local[$0] != nil }
    _ = commitLocally(
      gone.sorted().map { ServerVersions.removal(of: $0) }
        + reverted.sorted().map { LocalChange(key: $0, value: nil) }, .relaxed)
  }
}
