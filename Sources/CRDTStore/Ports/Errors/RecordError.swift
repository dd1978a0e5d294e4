public import CRDTKit

/// Why a change of records was refused; nothing has changed then.
public enum RecordError: Error, Hashable, Sendable {
  /// The store was not opened for a model of the collection, so it doesn't know its
  /// rules.
  case unknownModel(collection: String)
  /// There is no such record.
  case notFound(Document.RecordID)
  /// There is a record of that name.
  case alreadyExists(Document.RecordID)
  /// A record's identifier was changed, which can't be.
  case renamed(Document.RecordID, to: String)
  /// The name of a record, collection or setting is longer than fits.
  case nameTooLong(bytes: Int)
  /// The collection is the server's, and only read here.
  case readOnly(collection: String)
  /// Changes of the collection must not wait in a queue.
  case onlineOnly(collection: String)
  /// A counter would leave the bounds of `Int64`.
  case counterOverflow(Document.RecordID, FieldPath)
  /// A floating-point number that is none, or infinite: JSON can't say it, so no server would
  /// have it.
  case notFinite(Document.RecordID, FieldPath)
  /// The draft of the record was committed before: take another one to change more.
  case draftCommitted(Document.RecordID)
  /// The commit was undone before: undo the receipt of that to have it again.
  case undone(Dot)
  /// The commit is older than those of which a store remembers whether they were undone.
  case undoForgotten(Dot)
  /// Nothing is left of a record of that name that was purged.
  case noOrphan(Document.RecordID)
  /// There is no conflict of that field any more.
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

/// Something that no replica would have written by itself, and that a merge has
/// brought about.
public enum RecordViolation: Hashable, Sendable {
  /// A record isn't valid any more, for what its model's `validate()` said.
  case invalid(record: String, reason: String)
  /// Several records have the same value in a field that should be unique.
  case duplicate(field: String, records: [String])
  /// A record's fields are not what its model asks for.
  case unreadable(record: String, reason: String)
}

extension RecordViolation: CustomStringConvertible {
  /// What is wrong, in a sentence.
  public var description: String {
    switch self {
    case .invalid(let record, let reason): "\(record.visible) isn't valid: \(reason.visible)"
    case .duplicate(let field, let records):
      "\(records.map(\.visible).joined(separator: ", ")) have the same \(field.visible)"
    case .unreadable(let record, let reason): "\(record.visible) can't be read: \(reason.visible)"
    }
  }
}
