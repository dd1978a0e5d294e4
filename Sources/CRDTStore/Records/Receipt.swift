public import CRDTKit

/// What a commit was: to ask who has it, and to undo it.
public struct Receipt: Hashable, Sendable {
  /// The replica that made the commit.
  public let replica: ReplicaID
  /// The last of its events; `nil` where it changed nothing that is replicated.
  public let dot: Dot?
  /// The operations that it put into the outbox, in order.
  public let operations: [OperationID]
  /// What was done, in order.
  let changes: [StagedChange]

  /// The records that were changed.
  public var records: Set<Document.RecordID> { Set(changes.map(\.record)) }

  /// Whether whoever has seen a version has the commit.
  public func isContained(in version: VersionVector) -> Bool {
    dot.map { version.contains($0) } ?? true
  }
}
