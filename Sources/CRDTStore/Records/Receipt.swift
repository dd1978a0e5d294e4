public import CRDTKit

extension Store {
  /// A receipt of a commit, with which you can ask who has the commit, and undo it.
  ///
  /// If the commit is durable, you can keep its receipt while the app isn't running, since it
  /// is `Codable`:
  ///
  ///     try JSONEncoder().encode(receipt).write(to: file)
  ///
  /// Don't keep the receipt of a commit that a crash may take back: it would stand for the
  /// events that were made in its place.
  public struct Receipt: Hashable, Sendable {
    /// The replica that made the commit.
    public let replica: ReplicaID
    /// The counters of its events; `nil` if it changed nothing that is replicated.
    let events: ClosedRange<UInt64>?
    /// The operations that the commit put into the outbox, in order.
    public let operations: [Outbox.OperationID]
    /// The changes that drafts and undos left out.
    public let omissions: [Omission]
    /// The changes in order, as far as an undo needs them.
    let changes: [StagedChange]
    /// One mark per change, which tells later whether the change is still there.
    var marks: [Document.CommitMark] = []

    /// A change that a draft or an undo left out.
    ///
    /// It could not be made, or would have affected what others have written.
    public struct Omission: Hashable, Sendable {
      /// The record.
      public let record: Document.RecordID
      /// The field; `nil` for the record as a whole.
      public let field: FieldPath?
      /// Why it was left out.
      public let reason: Reason

      package init(record: Document.RecordID, field: FieldPath?, reason: Reason) {
        self.record = record
        self.field = field
        self.reason = reason
      }
    }

    /// Why a change was left out.
    public enum Reason: UInt8, Hashable, Sendable, CaseIterable {
      /// The record is deleted, or was purged.
      case deleted
      /// Another record was created under the name since.
      case replaced
      /// Others have since written there, or have removed what was written.
      case changedSince
      /// The record could not be read without the parts that others have removed.
      case unreadable
      /// This kind of change can't be undone: resolving a conflict, discarding an orphan.
      case notUndoable
    }

    init(
      replica: ReplicaID, events: ClosedRange<UInt64>?, operations: [Outbox.OperationID],
      changes: [StagedChange], omissions: [Omission] = []
    ) {
      self.replica = replica
      self.events = events
      self.operations = operations
      self.changes = changes.map(\.undoable)
      self.omissions = omissions
    }

    /// The last of the commit's events; `nil` if it changed nothing that is replicated.
    public var dot: Dot? { events.map { Dot(replica, $0.upperBound) } }

    /// The records that were changed.
    public var records: Set<Document.RecordID> { Set(changes.map(\.record)) }

    /// The fields of a record that were changed; none if anything else was done to it.
    func paths(of record: Document.RecordID) -> [FieldPath] {
      var paths: [FieldPath] = []
      for change in changes where change.record == record {
        switch change {
        case .update(_, let changes, making: _), .revise(_, let changes, making: _, seen: _):
          // How a conflict was resolved isn't kept.
          if changes.isEmpty { return [] }
          paths += changes.map(\.path)
        case .create, .delete, .restore, .resolve, .restoreOrphan, .discardOrphan, .takeBack:
          return []
        }
      }
      return paths
    }

    /// Whether a replica that has seen a version has the commit.
    public func isContained(in version: VersionVector) -> Bool {
      dot.map { version.contains($0) } ?? true
    }
  }
}

extension StagedChange {
  /// The change without the parts that an undo doesn't need: the version that its author
  /// had seen, how a conflict was resolved, and that an orphan was discarded.
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

extension Store.Receipt: CustomStringConvertible {
  /// The commit, its changes by record, and what was left out.
  public var description: String {
    let commit = dot.map { "commit \($0)" } ?? "no commit"
    var parts = changes.map { "\($0.verb) \($0.record)" }
    if operations.count == 1 { parts.append("1 operation for the server") }
    if operations.count > 1 { parts.append("\(operations.count) operations for the server") }
    parts += omissions.map { "left out \($0)" }
    return parts.isEmpty ? commit : "\(commit): \(parts.joined(separator: ", "))"
  }
}

extension Store.Receipt.Omission: CustomStringConvertible {
  /// The omitted change, and the reason.
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
