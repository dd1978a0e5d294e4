import CRDTKit

/// A change that a transaction is going to make to one record.
enum StagedChange: Hashable, Sendable {
  /// Creates a record that didn't exist or was deleted.
  case create(Document.RecordID, [Document.FieldChange])
  /// Changes a record; `making` lists the objects, counters and sets that didn't exist
  /// before.
  case update(Document.RecordID, [Document.FieldChange], making: [FieldPath] = [])
  /// Changes a record as someone who has seen it at a version.
  case revise(
    Document.RecordID, [Document.FieldChange], making: [FieldPath], seen: VersionVector)
  case delete(Document.RecordID)
  case restore(Document.RecordID)
  /// Makes a record of the rest of one that was purged.
  case restoreOrphan(Document.OrphanedRecord)
  case discardOrphan(Document.OrphanedRecord)
  case resolve(Document.Conflict, with: Document.Value)
  /// Undoes what a commit did to a record.
  case takeBack(Document.RecordID, TakeBack)

  /// An undo of what a commit did to a record, and its effect.
  struct TakeBack: Hashable, Sendable {
    var changes: [Document.FieldChange]
    var made: [FieldPath]
    var events: Document.CommitEvents
    var mark: Document.CommitMark
    var result: Document.TakingBack
    /// The differences in the record's fields.
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
  /// The changes of the record's fields.
  var fields: [Document.FieldChange] {
    switch self {
    case .update(_, let fields, making: _), .revise(_, let fields, making: _, seen: _): fields
    case .takeBack(_, let back): back.result.done
    case .create, .delete, .restore, .restoreOrphan, .discardOrphan, .resolve: []
    }
  }

  /// Whether the record then shows what this tells: it is a change by someone who has seen
  /// all of the record.
  var isPlainWrite: Bool {
    switch self {
    case .create, .update: true
    case .revise, .delete, .restore, .restoreOrphan, .discardOrphan, .resolve, .takeBack: false
    }
  }

  /// Whether it does nothing, because the same transaction has removed its effect.
  var isEmpty: Bool {
    if case .update(_, let fields, making: _) = self { fields.isEmpty } else { false }
  }

  var isRestoration: Bool {
    switch self {
    case .restore, .restoreOrphan: true
    default: false
    }
  }

  /// The time at which the undone change was written.
  var takenTime: UInt64 {
    if case .takeBack(_, let back) = self { back.result.time } else { 0 }
  }
}

extension Document.Editor {
  /// Makes a staged change, which was checked before.
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
