import CRDTKit
import CRDTSimulator
import Toolkit

/// Fields that are to be written to one record.
struct RecordEdit: Equatable {
  var record: Document.RecordID
  var fields: [FieldEdit] = []

  /// The greatest object that is read, in bytes.
  static let sizeMax = 32 << 20

  init(_ record: Document.RecordID, _ fields: [FieldEdit] = []) {
    self.record = record
    self.fields = fields
  }
}

extension RecordEdit {
  /// Adds what a word of the command line says: an object in JSON, or `FIELD=JSON`.
  mutating func add(_ word: String) throws(UsageError) {
    do throws(CommandFailure) {
      guard word.utf8.first == UInt8(ascii: "{") else { return fields.append(try FieldEdit(word)) }
      try add(object: Array(word.utf8))
    } catch {
      throw UsageError(error.description)
    }
  }

  /// Adds the members of an object in JSON.
  mutating func add(object bytes: [UInt8]) throws(CommandFailure) {
    let value: Document.Value
    do throws(JSONFailure) {
      value = try JSONText(parsing: bytes).documentValue()
    } catch {
      throw CommandFailure("the record's fields: \(error)")
    }
    guard case .object(let members) = value else {
      throw CommandFailure("the record's fields must be an object")
    }
    for (name, value) in members { try FieldEdit(path: [name], value: value).check() }
    fields += FieldEdit.merging(members)
  }

  /// Refuses a field that is given twice, or together with one within it: what comes
  /// first would matter.
  func checkPaths() throws(CommandFailure) {
    // Between a path and one within it, only such stand in this order.
    let paths = fields.map(\.path).sorted()
    for (path, next) in zip(paths, paths.dropFirst()) where next.names.starts(with: path.names) {
      throw CommandFailure("field '\(path)' is given twice, or with a field within it")
    }
  }

  /// Leaves out the empty objects that say no more than that there is an object.
  func keepingObjects(of document: Document) -> RecordEdit {
    RecordEdit(
      record,
      fields.filter { !$0.keepsObject || $0.value != [:] || !isShown($0, in: document) })
  }

  /// Leaves out what the document shows already.
  func removingKnown(to document: Document) -> RecordEdit {
    RecordEdit(record, fields.filter { !isShown($0, in: document) })
  }

  /// Whether a field shows just what is to be written; the elements of a set may
  /// stand in any order.
  func isShown(_ field: FieldEdit, in document: Document) -> Bool {
    let shown = document.value(of: field.path, of: record.record, in: record.collection)
    switch (shown, field.value) {
    case (.object?, .object([:])) where field.keepsObject: return true
    case (.array(let left)?, .array(let right)):
      if left == right { return true }
      let rule = document.schema.collections[record.collection]?.rule(of: field.path)
      return rule == .set && Set(left) == Set(right)
    default: return shown == field.value
    }
  }

  /// Makes the edits.
  ///
  /// - Returns: Those that were not written: a rule may give way to what was there.
  func apply(_ edit: inout Document.Editor) -> [FieldEdit] {
    edit.create(record.record, in: record.collection)
    return fields.filter {
      !edit.set($0.path, of: record.record, in: record.collection, to: $0.value)
    }
  }
}
