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
  /// The counters of its events; `nil` where it changed nothing that is replicated.
  let events: ClosedRange<UInt64>?
  /// The operations that it put into the outbox, in order.
  public let operations: [OperationID]
  /// What drafts and undos would have written, and left out.
  public let omissions: [Omission]
  /// What was done, in order, as far as undoing it asks for.
  let changes: [StagedChange]
  /// What tells later whether that is there still, of each change.
  var marks: [Document.CommitMark] = []

  /// Something that a draft or an undo left as it is, since it could not be done, or would
  /// have reached into what others have written.
  public struct Omission: Hashable, Sendable {
    /// The record.
    public let record: Document.RecordID
    /// The field; `nil` for the record as a whole.
    public let field: FieldPath?
    /// Why.
    public let reason: Reason

    package init(record: Document.RecordID, field: FieldPath?, reason: Reason) {
      self.record = record
      self.field = field
      self.reason = reason
    }
  }

  /// Why something was left out.
  public enum Reason: UInt8, Hashable, Sendable, CaseIterable {
    /// The record is deleted, or was purged.
    case deleted
    /// Another record was made under the name since.
    case replaced
    /// Others have written there since, or have taken away what was written.
    case changedSince
    /// Without the rest of it, which others have taken away, the record could not be read.
    case unreadable
    /// It is not undone: how a conflict was settled, that an orphan was discarded.
    case notUndoable
  }

  init(
    replica: ReplicaID, events: ClosedRange<UInt64>?, operations: [OperationID],
    changes: [StagedChange], omissions: [Omission] = []
  ) {
    self.replica = replica
    self.events = events
    self.operations = operations
    self.changes = changes.map(\.undoable)
    self.omissions = omissions
  }

  /// The last of the commit's events; `nil` where it changed nothing that is replicated.
  public var dot: Dot? { events.map { Dot(replica, $0.upperBound) } }

  /// The records that were changed.
  public var records: Set<Document.RecordID> { Set(changes.map(\.record)) }

  /// The fields of a record that were changed, where nothing else was done to it; else none.
  func paths(of record: Document.RecordID) -> [FieldPath] {
    var paths: [FieldPath] = []
    for change in changes where change.record == record {
      switch change {
      case .update(_, let changes, making: _), .revise(_, let changes, making: _, seen: _):
        // How a conflict was settled isn't kept.
        if changes.isEmpty { return [] }
        paths += changes.map(\.path)
      case .create, .delete, .restore, .resolve, .restoreOrphan, .discardOrphan, .takeBack:
        return []
      }
    }
    return paths
  }

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
    case .takeBack(let record, let back): .update(record, back.result.done)
    case .create(let record, _): .create(record, [])
    case .update, .delete, .restore: self
    }
  }
}

extension Receipt: CustomStringConvertible {
  /// The commit, what it did to which records, and what was left out.
  public var description: String {
    let commit = dot.map { "commit \($0)" } ?? "no commit"
    var parts = changes.map { "\($0.verb) \($0.record)" }
    if operations.count == 1 { parts.append("1 operation for the server") }
    if operations.count > 1 { parts.append("\(operations.count) operations for the server") }
    parts += omissions.map { "left out \($0)" }
    return parts.isEmpty ? commit : "\(commit): \(parts.joined(separator: ", "))"
  }
}

extension Receipt.Omission: CustomStringConvertible {
  /// What was left out, and why.
  public var description: String {
    let place = field.map { "\($0.description.visible) of \(record)" } ?? "\(record)"
    let why =
      switch reason {
      case .deleted: "it is deleted"
      case .replaced: "another record was made under its name"
      case .changedSince: "others have changed it since"
      case .unreadable: "the record could not be read with it"
      case .notUndoable: "that isn't undone"
      }
    return "\(place): \(why)"
  }
}

extension StagedChange {
  fileprivate var verb: String {
    switch self {
    case .create: "created"
    case .update, .revise, .resolve, .discardOrphan, .takeBack: "changed"
    case .delete: "deleted"
    case .restore, .restoreOrphan: "restored"
    }
  }
}
