package import CRDTKit

/// The texts and lists of a record in the version that its server is known to have.
///
/// They are kept where the server is told edits: an edit is one of what the server has.
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

extension StoreCore {
  /// The rules of a collection whose texts and lists are told as edits; `nil` of others.
  private func editedRules(of collection: String) -> Schema.Collection? {
    guard options.models[collection]?.access == .queuedAsEdits else { return nil }
    return working.document.schema.collections[collection]
  }

  /// The texts and lists in a server's record.
  func texts(of server: Outbox.ServerRecord) -> ServerTexts {
    guard !server.isDeleted, let rules = editedRules(of: server.record.collection) else {
      return ServerTexts()
    }
    return ServerTexts(server.fields, under: rules)
  }

  /// The texts and lists that the server has after it has applied an operation.
  ///
  /// They are those of the version that it gives. Without a version, or if the operation was
  /// based on another one than is known, nothing is known but what the operation has written.
  ///
  /// Don't ask it for an operation that may have been a dead letter. The server may have done it
  /// before, when it had other contents, and repeat its answer now.
  func texts(
    after operation: Outbox.Operation, since known: ServerVersions.Entry?, _ version: String?
  ) -> ServerTexts {
    guard let rules = editedRules(of: operation.record.collection), version != nil else {
      return ServerTexts()
    }
    var texts = ServerTexts()
    if let known, known.version == operation.baseVersion { texts = known.texts }
    texts.note(operation.changes, under: rules)
    return texts
  }

  /// The texts and lists that the server has in the version that an operation is based on; `nil`
  /// if they are not known, or the operation has to tell the whole.
  func texts(under operation: Outbox.Operation) -> ServerTexts? {
    guard operation.kind == .update, operation.baseVersion != nil,
      editedRules(of: operation.record.collection) != nil,
      let known = serverVersions[operation.record], !known.isDeleted,
      known.version == operation.baseVersion, !known.texts.isEmpty
    else { return nil }
    return known.texts
  }
}

extension Outbox.Envelope {
  /// Tells a text or a list that the envelope assigns by the edits that lead to it from what the
  /// server has.
  mutating func tellEdits(of known: ServerTexts) {
    changes.removeAll { change in
      guard let after = change.after, let before = known[change.path],
        let edits = Outbox.Edit.edits(from: before, to: after)
      else { return false }
      self.edits[change.path] = edits
      return true
    }
  }
}
