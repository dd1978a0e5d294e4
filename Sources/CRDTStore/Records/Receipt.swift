public import CRDTKit

/// What a commit was: to ask who has it, and to undo it.
///
/// It can be kept while the app isn't running, as `Codable`, if the commit is durable:
///
///     try JSONEncoder().encode(receipt).write(to: file)
///
/// Of a commit that a crash took back, it would be answered by the events that were
/// made in its place.
public struct Receipt: Hashable, Sendable {
  /// The replica that made the commit.
  public let replica: ReplicaID
  /// The last of its events; `nil` where it changed nothing that is replicated.
  public let dot: Dot?
  /// The operations that it put into the outbox, in order.
  public let operations: [OperationID]
  /// What was done, in order, as far as undoing it asks for.
  let changes: [StagedChange]

  init(
    replica: ReplicaID, dot: Dot?, operations: [OperationID], changes: [StagedChange]
  ) {
    self.replica = replica
    self.dot = dot
    self.operations = operations
    self.changes = changes.map(\.undoable)
  }

  /// The records that were changed.
  public var records: Set<Document.RecordID> { Set(changes.map(\.record)) }

  /// Whether whoever has seen a version has the commit.
  public func isContained(in version: VersionVector) -> Bool {
    dot.map { version.contains($0) } ?? true
  }
}

extension StagedChange {
  /// The change without what undoing it doesn't ask for: what its author had seen,
  /// and how a conflict was settled or that an orphan was discarded, which isn't undone.
  fileprivate var undoable: StagedChange {
    switch self {
    case .revise(let record, let changes, making: let made, seen: _):
      .update(record, changes, making: made)
    case .resolve, .discardOrphan: .update(record, [])
    case .restoreOrphan: .restore(record)
    case .create, .update, .delete, .restore: self
    }
  }
}
