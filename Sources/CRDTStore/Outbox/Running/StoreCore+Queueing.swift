import CRDTKit

extension StoreCore {
  /// Puts what a commit does to records of which a server is told into the outbox;
  /// gives the operations that answer for it, and what is to be kept of them.
  func enqueue(
    _ staged: [StagedChange], _ counters: ClosedRange<UInt64>
  ) -> (operations: [OperationID], changes: [LocalChange]) {
    guard options.models.hasQueue else { return ([], []) }
    var (operations, changes): ([OperationID], [LocalChange]) = ([], [])
    for operation in self.operations(of: staged, counters) {
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

  /// What a server is told of a commit: an operation for each record.
  func operations(
    of staged: [StagedChange], _ counters: ClosedRange<UInt64>
  ) -> [OutboxOperation] {
    var order: [Document.RecordID] = []
    var kinds: [Document.RecordID: OperationKind] = [:]
    var changes: [Document.RecordID: [Document.FieldChange]] = [:]
    for change in staged {
      let record = change.record
      guard options.models[record.collection]?.access.tellsServer == true else { continue }
      if kinds[record] == nil { order.append(record) }
      add(change, to: &kinds[record], &changes[record, default: []])
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
    _ change: StagedChange, to kind: inout OperationKind?, _ changes: inout [Document.FieldChange]
  ) {
    switch change {
    case .create(_, let fields):
      kind = kind == .delete ? .update : .create
      changes = fields
    case .update(_, let fields, making: _), .revise(_, let fields, making: _, seen: _):
      if fields.isEmpty { return }
      kind = kind ?? .update
      changes.join(fields)
    case .delete:
      kind = kind == .create ? nil : .delete
      changes = []
    case .restore(let record):
      kind = .create
      changes = assignments(of: record)
    case .resolve(let conflict, with: let value):
      kind = kind ?? .update
      let known = conflict.sides.first { $0.replica.principal == options.authority }
      let before = (known ?? conflict.sides.first)?.value
      changes.join([Document.FieldChange(conflict.path, .assign(value, before: before))])
    }
  }

  /// All fields of a record, as what a server is told of one that it doesn't have.
  func assignments(of record: Document.RecordID) -> [Document.FieldChange] {
    (working.fields(of: record.record, in: record.collection) ?? [:])
      .sorted { $0.key.comes(before: $1.key) }
      .map { Document.FieldChange([$0.key], .assign($0.value, before: nil)) }
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

extension [Document.FieldChange] {
  /// Adds changes that come after these; of a field that both assign, the last counts.
  mutating func join(_ later: [Document.FieldChange]) {
    for change in later {
      guard change.isAssignment,
        let place = firstIndex(where: { $0.path == change.path && $0.isAssignment })
      else {
        append(change)
        continue
      }
      self[place] = change.replacing(before: self[place].before)
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
