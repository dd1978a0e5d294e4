package import CRDTKit
package import CRDTStoreTesting

/// One change to a document.
package enum DocumentOperation: Hashable, Sendable {
  case set(DocumentRecord, [String], Document.Value)
  case remove(DocumentRecord, [String])
  case insert(DocumentRecord, [String], Document.Value)
  case removeElement(DocumentRecord, [String], Document.Value)
  case increment(DocumentRecord, [String], Int64)
  case create(DocumentRecord)
  case delete(DocumentRecord)
  case restore(DocumentRecord)
  case restoreOrphan(DocumentRecord)
  case discardOrphan(DocumentRecord)
  case write(DocumentRecord, DocumentCard)
  /// Settle one of the conflicts that were seen so far.
  case resolve(Int, Document.Value)
  /// Remove for good what was deleted so many milliseconds ago.
  case purge(UInt64)
}

extension DocumentOperation {
  /// The record that it is about; `nil` if it is about none in particular.
  package var record: DocumentRecord? {
    switch self {
    case .set(let record, _, _), .remove(let record, _), .insert(let record, _, _),
      .removeElement(let record, _, _), .increment(let record, _, _), .create(let record),
      .delete(let record), .restore(let record), .restoreOrphan(let record),
      .discardOrphan(let record), .write(let record, _):
      record
    case .resolve, .purge: nil
    }
  }

  /// Makes the change; gives what the document says of it, as a number.
  package func perform(
    in edit: inout Document.Editor, conflicts: [Document.Conflict],
    orphans: [Document.OrphanedRecord] = []
  ) throws -> Int {
    let (name, collection) = (record?.name ?? "", record?.collection ?? "")
    switch self {
    case .set(_, let path, let value):
      return edit.set(FieldPath(path), of: name, in: collection, to: value) ? 1 : 0
    case .remove(_, let path):
      return edit.remove(FieldPath(path), of: name, in: collection) ? 1 : 0
    case .insert(_, let path, let element):
      return edit.insert(element, into: FieldPath(path), of: name, in: collection) ? 1 : 0
    case .removeElement(_, let path, let element):
      return edit.remove(element, from: FieldPath(path), of: name, in: collection) ? 1 : 0
    case .increment(_, let path, let amount):
      try edit.increment(FieldPath(path), of: name, in: collection, by: amount)
      return amount == 0 ? 0 : 1
    case .create: return edit.create(name, in: collection) ? 1 : 0
    case .delete: return edit.delete(name, in: collection) ? 1 : 0
    case .restore: return edit.restore(name, in: collection) ? 1 : 0
    case .restoreOrphan, .discardOrphan:
      let id = Document.RecordID(name, in: collection)
      guard let orphan = orphans.first(where: { $0.id == id }) else { return 0 }
      if case .restoreOrphan = self { return edit.restore(orphan) ? 1 : 0 }
      return edit.discard(orphan) ? 1 : 0
    case .write(_, let card):
      try edit.write(card, to: name, in: collection)
      return 1
    case .resolve(let place, let value):
      guard !conflicts.isEmpty else { return 0 }
      return edit.resolve(conflicts[place % conflicts.count], with: value) ? 1 : 0
    case .purge(let milliseconds):
      return edit.purge(retention: .milliseconds(milliseconds))
    }
  }
}

extension DocumentOperation {
  /// A change as schedules make them, with purges or without.
  package init(purging: Bool, using random: inout SeededGenerator) {
    let record = DocumentSamples.record(using: &random)
    let path = DocumentSamples.path(using: &random)
    self.init(on: record, path, purging: purging, using: &random)
  }

  /// A change of a record, if it is one of a field then more often than not of a
  /// given one.
  init(
    on record: DocumentRecord, _ path: [String], purging: Bool,
    using random: inout SeededGenerator
  ) {
    let value = DocumentSamples.value(using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<34: self = .set(record, path, value)
    case 34..<44: self = .remove(record, path)
    case 44..<54:
      self = .insert(
        record, DocumentSamples.setPath(using: &random), DocumentSamples.element(using: &random))
    case 54..<60:
      self = .removeElement(
        record, DocumentSamples.setPath(using: &random), DocumentSamples.element(using: &random))
    case 60..<68:
      if purging, Bool.random(using: &random) {
        self = .purge(UInt64.random(in: 0..<6, using: &random))
      } else {
        self = .increment(
          record, DocumentSamples.counterPath(using: &random),
          Int64.random(in: -3...5, using: &random))
      }
    case 68..<71: self = .create(record)
    case 71..<79: self = .delete(record)
    case 79..<82: self = .restore(record)
    case 82..<84:
      self =
        !purging
        ? .restore(record)
        : Bool.random(using: &random) ? .restoreOrphan(record) : .discardOrphan(record)
    case 84..<92:
      self = purging ? .delete(record) : .write(record, DocumentCard(using: &random))
    default: self = .resolve(Int.random(in: 0..<100, using: &random), value)
    }
  }
}
