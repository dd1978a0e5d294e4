package import CRDTKit

/// The texts of a record that its server has shown, and what it was sent since.
///
/// What others have written in a text that isn't here is theirs to send. Of collections that are
/// ``ServerAccess/queuedAsEdits``, also the lists: edits are computed from what the server has.
package struct ServerTexts: Hashable, Sendable {
  private var values: [FieldPath: Document.Value] = [:]
  /// Whether they are just those of the version that the server is known to have.
  var areOfVersion = true

  package init() {}

  package var isEmpty: Bool { values.isEmpty }

  package subscript(path: FieldPath) -> Document.Value? { values[path] }

  /// The texts alone.
  var strings: [FieldPath: String] {
    values.compactMapValues { if case .string(let string) = $0 { string } else { nil } }
  }

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
    for (name, value) in fields {
      let path = FieldPath(object.names + [name])
      switch (rules.rule(of: path), value) {
      case (.text, _), (.list, _): note(value, at: path)
      case (_, .object(let inner)): note(inner, within: path, under: rules)
      default: break
      }
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
