public import CRDTKit

/// Why a change of records was refused, without changing anything.
@nonexhaustive
public enum RecordError: Error, Hashable, Sendable {
  /// The store was not opened with a model of the collection, so it doesn't know its rules.
  case unknownModel(collection: String)
  /// The record does not exist.
  case notFound(Document.RecordID)
  /// A record of that name exists already.
  case alreadyExists(Document.RecordID)
  /// A change tried to rename a record.
  case renamed(Document.RecordID, to: String)
  /// The name of a record, collection or setting is too long.
  case nameTooLong(bytes: Int)
  /// The collection belongs to the server, and is read-only here.
  case readOnly(collection: String)
  /// Changes of the collection can't be queued; they must be made online.
  case onlineOnly(collection: String)
  /// A counter would leave the bounds of `Int64`.
  case counterOverflow(Document.RecordID, FieldPath)
  /// A floating-point number is NaN or infinite, which JSON can't represent for a server.
  case notFinite(Document.RecordID, FieldPath)
  /// A field's rule can't merge values of the field's type: a ``Schema/FieldRule/counter`` that
  /// is no whole number of an `Int64`, a ``Schema/FieldRule/set`` that is no set or array, a
  /// ``Schema/FieldRule/text`` that is no string, or a ``Schema/FieldRule/list`` that is no
  /// array.
  case unsuitableRule(Document.RecordID, FieldPath, Schema.FieldRule)
  /// The draft of the record was committed before: create another one for more changes.
  case draftCommitted(Document.RecordID)
  /// The commit was undone before: undo the receipt of the undo to restore it.
  case undone(Dot)
  /// The commit is so old that the store has forgotten whether it was undone.
  case undoForgotten(Dot)
  /// No remains of a purged record of that name exist.
  case noOrphan(Document.RecordID)
  /// The field has no conflict any more.
  case noConflict(Document.RecordID, FieldPath)
}

extension RecordError: CustomStringConvertible {
  /// A sentence that says what is wrong, and what to do.
  public var description: String {
    switch self {
    case .unknownModel(let collection):
      "the store was not opened for a model of \(collection.visible): name its type where you open it"
    case .notFound(let record): "there is no \(record)"
    case .alreadyExists(let record): "there is \(record) already: update it"
    case .renamed(let record, let name):
      "the identifier of \(record) was changed to \(name.visible): create another record"
    case .nameTooLong(let bytes): "a name of \(bytes) bytes is more than fits"
    case .readOnly(let collection): "\(collection.visible) is the server's, and only read here"
    case .onlineOnly(let collection):
      "changes of \(collection.visible) must not wait in a queue: make them while online"
    case .counterOverflow(let record, let path):
      "\(path.description.visible) of \(record) would leave the bounds of a counter"
    case .notFinite(let record, let path):
      "\(path.description.visible) of \(record) is a number that JSON can't say: write a number, or nil"
    case .unsuitableRule(let record, let path, let rule):
      "the rule \(rule) can't merge \(path.description.visible) of \(record), which is no "
        + "\(rule.mergeableKind): give the field another rule, or another type"
    case .draftCommitted(let record):
      "the draft of \(record) was committed before: take another one"
    case .undone(let commit):
      "commit \(commit) was undone before: to have it again, undo the receipt of that"
    case .undoForgotten(let commit):
      "commit \(commit) is so old that nobody knows whether it was undone: change the records"
    case .noOrphan(let record):
      "nothing is left of \(record), or there is such a record again"
    case .noConflict(let record, let path):
      "\(path.description.visible) of \(record) is in no conflict any more"
    }
  }
}

extension RecordError {
  /// A violated rule that no replica has written by itself, but that a merge caused.
  @nonexhaustive
  public enum Violation: Hashable, Sendable {
    /// A record is no longer valid, for the reason that its model's `validate()` gave.
    case invalid(record: String, reason: String)
    /// Several records have the same value in a field that should be unique.
    case duplicate(field: String, records: [String])
    /// A record's fields can't be decoded as its model.
    case unreadable(record: String, reason: String)
  }
}

extension RecordError.Violation: CustomStringConvertible {
  /// A sentence that says what is wrong.
  public var description: String {
    switch self {
    case .invalid(let record, let reason): "\(record.visible) isn't valid: \(reason.visible)"
    case .duplicate(let field, let records):
      "\(records.map(\.visible).joined(separator: ", ")) have the same \(field.visible)"
    case .unreadable(let record, let reason): "\(record.visible) can't be read: \(reason.visible)"
    }
  }
}
