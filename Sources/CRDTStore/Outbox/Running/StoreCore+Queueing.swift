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
    for operation in self.operations(of: staged, counters, replacing: replaced) {
      // It is of a new event, so it can't be there already.
      guard let effects = try? outbox.enqueue(operation) else { continue }
      changes += effects.localChanges
      var id = operation.id
      for action in effects.actions {
        if case .coalesced(_, into: let older) = action { id = older }
        tell(of: action)
      }
      operations.append(id)
    }
    return (operations, changes)
  }

  /// The records that a commit deletes and makes anew, with what they hold before it.
  func replacedRecords(
    by staged: [StagedChange]
  ) -> [Document.RecordID: [String: Document.Value]] {
    guard options.models.hasQueue else { return [:] }
    var replaced: [Document.RecordID: [String: Document.Value]] = [:]
    for case .delete(let record) in staged {
      replaced[record] = working.fields(of: record.record, in: record.collection)
    }
    return replaced
  }

  /// What a server is told of a commit: an operation for each record.
  ///
  /// Of those that are made anew, the fields before the commit are given.
  func operations(
    of staged: [StagedChange], _ counters: ClosedRange<UInt64>,
    replacing replaced: [Document.RecordID: [String: Document.Value]]
  ) -> [OutboxOperation] {
    var order: [Document.RecordID] = []
    var kinds: [Document.RecordID: OperationKind] = [:]
    var changes: [Document.RecordID: [Document.FieldChange]] = [:]
    var told: Set<Document.RecordID> = []
    for change in staged {
      let record = change.record
      guard options.models[record.collection]?.access.tellsServer == true else { continue }
      if kinds[record] == nil { order.append(record) }
      if case .restore = change, isThere(record) {
        told.insert(record)
      } else if told.contains(record), change.isOfFields {
        // It is in what the record held when it was told of as restored.
        continue
      }
      add(change, to: &kinds[record], &changes[record, default: []], replacing: replaced[record])
    }
    let dot = Dot(identity.replica, counters.upperBound)
    let now = options.clock.milliseconds
    return order.compactMap { record in
      guard let kind = kinds[record] ?? nil else { return nil }
      return OutboxOperation(
        id: OperationID(dot: dot, record: record), dots: counters, kind: kind,
        createdMilliseconds: now, changes: changes[record] ?? [],
        baseVersion: serverVersions[record]?.version)
    }
  }

  /// Adds a change of a record to those before it in the same commit; the kind is `nil`
  /// where there is nothing to be told in the end.
  private func add(
    _ change: StagedChange, to kind: inout OperationKind?,
    _ changes: inout [Document.FieldChange], replacing replaced: [String: Document.Value]?
  ) {
    switch change {
    case .create(_, let fields):
      if kind == .delete, let replaced {
        kind = .update
        changes = fields.replacing(replaced)
      } else {
        kind = .create
        changes = fields
      }
    case .update(_, let fields, making: _), .revise(_, let fields, making: _, seen: _):
      if fields.isEmpty { return }
      kind = kind ?? .update
      changes.join(fields)
    case .delete:
      // What was changed before is kept: if the deletion loses, the server is to have it.
      if kind == .create { changes = [] }
      kind = kind == .create ? nil : .delete
    case .restore(let record):
      kind = .create
      let (name, collection) = (record.record, record.collection)
      let fields =
        working.fields(of: name, in: collection)
        ?? working.deletedFields(of: name, in: collection) ?? [:]
      changes = fields.assignments
    case .resolve(let conflict, with: let value):
      kind = kind ?? .update
      let known = conflict.sides.first { $0.replica.principal == options.authority }
      let before = (known ?? conflict.sides.first)?.value
      changes.join([Document.FieldChange(conflict.path, .assign(value, before: before))])
    }
  }

  private func isThere(_ record: Document.RecordID) -> Bool {
    working.contains(record.record, in: record.collection)
  }

  /// Tells the app of what happened in the outbox.
  func tell(of action: OutboxAction) {
    switch action {
    case .backlog(let count): tell(.backlog(count: count))
    case .deadLettered(let operation): tell(.deadLettered(operation))
    case .credentialsNeeded: tell(.credentialsNeeded)
    case .accepted, .coalesced, .rebase: break
    }
  }
}

extension StagedChange {
  /// Whether it changes fields of a record that is there.
  fileprivate var isOfFields: Bool {
    switch self {
    case .update, .revise, .resolve: true
    case .create, .delete, .restore: false
    }
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
