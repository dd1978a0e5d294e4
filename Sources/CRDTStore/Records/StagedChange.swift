import CRDTKit

/// What a transaction is going to do to one record.
enum StagedChange: Hashable, Sendable {
  /// A record is made, of which there was none, or which was deleted.
  case create(Document.RecordID, [Document.FieldChange])
  /// A record is changed, by which objects, counters and sets are made that there were
  /// not.
  case update(Document.RecordID, [Document.FieldChange], making: [FieldPath] = [])
  /// A record is changed by someone who has seen it at a version.
  case revise(
    Document.RecordID, [Document.FieldChange], making: [FieldPath], seen: VersionVector)
  case delete(Document.RecordID)
  case restore(Document.RecordID)
  /// What is left of a record that was purged is made a record again.
  case restoreOrphan(Document.OrphanedRecord)
  case discardOrphan(Document.OrphanedRecord)
  case resolve(Document.Conflict, with: Document.Value)
  /// What a commit did to a record is taken back.
  case takeBack(Document.RecordID, TakeBack)

  /// What is taken back, and what comes of it.
  struct TakeBack: Hashable, Sendable {
    var changes: [Document.FieldChange]
    var made: [FieldPath]
    var events: Document.CommitEvents
    var mark: Document.CommitMark
    var result: Document.TakingBack
    /// How the record's fields come to differ.
    var differences: [Document.FieldChange]
  }

  var record: Document.RecordID {
    switch self {
    case .create(let record, _), .update(let record, _, making: _),
      .revise(let record, _, making: _, seen: _), .delete(let record), .restore(let record),
      .takeBack(let record, _):
      record
    case .restoreOrphan(let orphan), .discardOrphan(let orphan): orphan.id
    case .resolve(let conflict, with: _):
      Document.RecordID(conflict.record, in: conflict.collection)
    }
  }
}

extension StagedChange {
  /// What is done to the record's fields.
  var fields: [Document.FieldChange] {
    switch self {
    case .update(_, let fields, making: _), .revise(_, let fields, making: _, seen: _): fields
    case .takeBack(_, let back): back.result.done
    case .create, .delete, .restore, .restoreOrphan, .discardOrphan, .resolve: []
    }
  }

  /// Whether it does nothing, since what it did was done away with in the same transaction.
  var isEmpty: Bool {
    if case .update(_, let fields, making: _) = self { fields.isEmpty } else { false }
  }

  var isRestoration: Bool {
    switch self {
    case .restore, .restoreOrphan: true
    default: false
    }
  }

  /// When what is taken back was written.
  var takenTime: UInt64 {
    if case .takeBack(_, let back) = self { back.result.time } else { 0 }
  }
}

extension Document.Editor {
  /// Does what a transaction has staged, and was checked before.
  mutating func perform(_ staged: StagedChange) {
    let record = staged.record
    switch staged {
    case .create(_, let changes):
      create(anew: record.record, in: record.collection)
      apply(changes, to: record.record, in: record.collection)
    case .update(_, let changes, making: _):
      apply(changes, to: record.record, in: record.collection)
    case .revise(_, let changes, making: _, seen: let version):
      seeing(upTo: version) { edit in
        edit.apply(changes, to: record.record, in: record.collection)
      }
    case .delete: delete(record.record, in: record.collection)
    case .restore: restore(record.record, in: record.collection)
    case .restoreOrphan(let orphan): restore(orphan)
    case .discardOrphan(let orphan): discard(orphan)
    case .resolve(let conflict, let value): resolve(conflict, with: value)
    case .takeBack(_, let back):
      takeBack(
        back.changes, making: back.made, of: back.events, knowing: back.mark, in: record)
    }
  }
}

/// Who has a record.
public enum RecordReach: Hashable, Sendable {
  /// All replicas, and the server, if the collection has one.
  case shared
  /// This store alone, until it is published: nothing of it is sent.
  case localOnly
}
