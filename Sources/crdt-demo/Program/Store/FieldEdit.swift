import CRDTKit
import CRDTSimulator
import Toolkit

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
    path = FieldPath(name)
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
    guard path.names.count + value.depth <= Document.Value.depthMax else {
      let depth = Document.Value.depthMax - 1
      throw CommandFailure("field '\(path)' is nested more than \(depth) levels deep")
    }
    try value.checkNames()
  }
}

extension FieldPath {
  /// Refuses a path that leads to no field.
  func check() throws(CommandFailure) {
    guard (1...Document.Value.depthMax).contains(names.count) else {
      throw CommandFailure("a field's path has more than \(Document.Value.depthMax) names")
    }
    guard names.allSatisfy({ $0.utf8.count <= Document.Value.nameLengthMax }) else {
      throw CommandFailure("a name has more than \(Document.Value.nameLengthMax) bytes")
    }
  }
}
