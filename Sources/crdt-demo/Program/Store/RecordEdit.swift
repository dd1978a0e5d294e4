import CRDTKit
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
    let value = try JSONText.documentValue(of: bytes, "the record's fields: ")
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

/// A value that is to be written to a field.
struct FieldEdit: Equatable {
  var path: FieldPath
  var value: Document.Value
  /// Whether an empty object leaves the one that is there as it is, rather than
  /// taking its fields away.
  var keepsObject = false
}

extension FieldEdit {
  /// Understands `FIELD=JSON`: the field will hold just that.
  init(_ word: String) throws(CommandFailure) {
    guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw CommandFailure("'\(word)' must be FIELD=JSON, or an object in JSON")
    }
    let name = String(word[..<sign])
    let text = word[word.utf8.index(after: sign)...]
    path = FieldPath(parsing: name)
    let json: JSONText
    do throws(JSONFailure) { json = try JSONText(parsing: Array(text.utf8)) } catch {
      throw CommandFailure(
        "the value of '\(name)' is no JSON: \(error.reason); texts stand in quotation marks, as in "
          + "title='\"Moon\"'")
    }
    do throws(JSONFailure) { value = try json.documentValue() } catch {
      throw CommandFailure("the value of '\(name)': \(error)")
    }
    try check()
  }

  /// The edits that write an object's members and leave other fields alone; objects
  /// among the members are gone into.
  ///
  /// - Precondition: The object isn't nested deeper than fields may be.
  static func merging(
    _ fields: [String: Document.Value], within names: [String] = []
  ) -> [FieldEdit] {
    let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return sorted.flatMap { name, value -> [FieldEdit] in
      if case .object(let inner) = value, !inner.isEmpty {
        return merging(inner, within: names + [name])
      }
      return [FieldEdit(path: FieldPath(names + [name]), value: value, keepsObject: true)]
    }
  }

  /// Refuses what an editor takes for a mistake of the program's.
  func check() throws(CommandFailure) {
    try path.check()
    guard path.names.count + value.depth <= Document.Value.maximumDepth else {
      let depth = Document.Value.maximumDepth - 1
      throw CommandFailure("field '\(path)' is nested more than \(depth) levels deep")
    }
    try value.checkNames()
  }
}

extension FieldPath {
  /// Refuses a path that leads to no field.
  func check() throws(CommandFailure) {
    guard (1...Document.Value.maximumDepth).contains(names.count) else {
      throw CommandFailure("a field's path has more than \(Document.Value.maximumDepth) names")
    }
    guard names.allSatisfy({ $0.utf8.count <= Document.Value.maximumNameLength }) else {
      throw CommandFailure("a name has more than \(Document.Value.maximumNameLength) bytes")
    }
  }
}
