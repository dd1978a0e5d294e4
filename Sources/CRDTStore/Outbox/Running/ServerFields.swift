import CRDTKit

/// What a server is known to have in the fields of a record, as digests: enough to tell
/// whether it says something else now.
///
/// A field of which it says the same again it has not changed, whatever happened to it
/// here. Nobody can find two values of one digest, so what a server changes is never
/// passed over. Of a field's name 16 bits are kept besides; of two names with the same,
/// either is forgotten with the other.
struct ServerFields: Hashable, Sendable {
  /// What a field is known to have.
  private struct Known: Hashable, Comparable, Sendable {
    var mark: UInt16
    /// What the name and the value come to.
    var digest: ShortDigest

    init(_ mark: UInt16, _ digest: ShortDigest) {
      self.mark = mark
      self.digest = digest
    }

    init(_ name: String, _ value: Document.Value) {
      var writer = ByteWriter()
      name.encode(to: &writer)
      value.encode(to: &writer)
      self.init(Self.mark(name), writer.withBytes { ShortDigest(of: $0) })
    }

    static func mark(_ name: String) -> UInt16 {
      UInt16(truncatingIfNeeded: name.fingerprint >> 48)
    }

    static func < (left: Known, right: Known) -> Bool {
      (left.mark, left.digest) < (right.mark, right.digest)
    }
  }

  private var fields: [Known] = []

  init() {}

  /// What a server says of a record.
  init(_ fields: [String: Document.Value]) {
    self.fields = fields.map { Known($0.key, $0.value) }.sorted()
  }

  /// Whether a field is known to have a value there.
  func contains(_ value: Document.Value, of name: String) -> Bool {
    !fields.isEmpty && fields.contains(Known(name, value))
  }

  /// Forgets what is known of some fields.
  mutating func forget(_ paths: [FieldPath]) {
    for name in paths.compactMap(\.names.first) {
      let mark = Known.mark(name)
      fields.removeAll { $0.mark == mark }
    }
  }

  /// Notes that the server has done some changes.
  ///
  /// What a field has after one that isn't an assignment of all of it isn't known.
  mutating func note(_ changes: [Document.FieldChange]) {
    for change in changes {
      guard let name = change.path.names.first else { continue }
      forget([change.path])
      guard change.path.names.count == 1, case .assign(let value, _) = change.change else {
        continue
      }
      let known = Known(name, value)
      fields.insert(known, at: fields.firstIndex { $0 > known } ?? fields.count)
    }
  }
}

extension ServerFields {
  /// Writes 0, how many there are, and each one's mark and digest.
  ///
  /// Earlier versions wrote no 0, but how many there are, and eight bytes for each.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: 0)
    writer.write(varint: UInt64(fields.count))
    for field in fields {
      writer.write(fixed: field.mark)
      field.digest.encode(to: &writer)
    }
  }

  /// Reads what is known of a server's fields: nothing, where an earlier version wrote it.
  init(from reader: inout ByteReader) throws(DecodingFailure) {
    guard try reader.readVarint() == 0, reader.remaining > 0 else { return }
    for _ in 0..<(try reader.readCount(of: "fields of a server")) {
      let mark = try reader.readFixed(UInt16.self)
      fields.append(Known(mark, try ShortDigest(from: &reader)))
    }
  }
}
