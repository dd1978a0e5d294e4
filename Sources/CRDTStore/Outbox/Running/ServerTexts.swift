package import CRDTKit

/// The texts and lists of a record in the version that its server is known to have.
///
/// Kept only for collections that are ``ServerAccess/queuedAsEdits``: edits are computed from
/// what the server has.
package struct ServerTexts: Hashable, Sendable {
  private var values: [FieldPath: Document.Value] = [:]

  package init() {}

  package var isEmpty: Bool { values.isEmpty }

  package subscript(path: FieldPath) -> Document.Value? { values[path] }

  /// The texts and lists among the fields of a server's record.
  init(_ fields: [String: Document.Value], under rules: Schema.Collection) {
    note(fields, within: FieldPath([]), under: rules)
  }

  /// Records that the server has applied some changes.
  ///
  /// A field is unknown after a change of a part of it, or of what it is a part of.
  mutating func note(_ changes: [Document.FieldChange], under rules: Schema.Collection) {
    for change in changes {
      for path in values.keys where path.isRelated(to: change.path) { values[path] = nil }
      switch rules.rule(of: change.path) {
      case .text, .list: note(change.after, at: change.path)
      default:
        if case .object(let fields)? = change.after {
          note(fields, within: change.path, under: rules)
        }
      }
    }
  }

  /// Notes the texts and lists within an object.
  private mutating func note(
    _ fields: [String: Document.Value], within object: FieldPath, under rules: Schema.Collection
  ) {
    let outer = object.names
    for (path, rule) in rules.fields where rule == .text || rule == .list {
      guard path.names.count > outer.count, path.names.starts(with: outer) else { continue }
      note(fields.value(at: FieldPath(Array(path.names.dropFirst(outer.count)))), at: path)
    }
  }

  private mutating func note(_ value: Document.Value?, at path: FieldPath) {
    switch value {
    case .string?, .array?: values[path] = value
    default: break
    }
  }
}

extension ServerTexts {
  /// Writes the number of fields, and the path and the value of each.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(values.count))
    for (path, value) in values.sorted(by: { $0.key < $1.key }) {
      path.names.encode(to: &writer)
      value.encode(to: &writer)
    }
  }

  /// Reads the fields.
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    for _ in 0..<(try reader.readCount(of: "texts of a server")) {
      let path = FieldPath(try [String](from: &reader))
      note(try Document.Value(from: &reader), at: path)
    }
  }
}
