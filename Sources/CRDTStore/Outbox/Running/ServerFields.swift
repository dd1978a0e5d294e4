import CRDTKit

/// What a server is known to have in the fields of a record, as digests: enough to tell
/// whether it says something else now.
///
/// A field of which it says the same again it has not changed, whatever happened to it
/// here. A digest has 16 bits of the field's name and 48 of its value; of two names with
/// the same 16 bits, either is forgotten with the other.
struct ServerFields: Hashable, Sendable {
  private var digests: [UInt64] = []

  init() {}

  /// What a server says of a record.
  init(_ fields: [String: Document.Value]) {
    digests = fields.map { Self.digest(Self.mark($0.key), $0.value) }.sorted()
  }

  /// Whether a field is known to have a value there.
  func contains(_ value: Document.Value, of name: String) -> Bool {
    !digests.isEmpty && digests.contains(Self.digest(Self.mark(name), value))
  }

  /// Notes that the server has done some changes.
  ///
  /// What a field has after one that isn't an assignment of all of it isn't known.
  mutating func note(_ changes: [Document.FieldChange]) {
    for change in changes {
      guard let name = change.path.names.first else { continue }
      let mark = Self.mark(name)
      if let place = digests.firstIndex(where: { $0 >> Self.valueBitCount == mark }) {
        digests[place...].removeAll { $0 >> Self.valueBitCount == mark }
      }
      guard change.path.names.count == 1, case .assign(let value, _) = change.change else {
        continue
      }
      let digest = Self.digest(mark, value)
      digests.insert(digest, at: digests.firstIndex { $0 > digest } ?? digests.count)
    }
  }

  private static let valueBitCount: UInt64 = 48

  private static func mark(_ name: String) -> UInt64 {
    var name = name
    return name.withUTF8 { Fingerprint.of(UnsafeRawBufferPointer($0)) } >> valueBitCount
  }

  private static func digest(_ mark: UInt64, _ value: Document.Value) -> UInt64 {
    var writer = ByteWriter()
    value.encode(to: &writer)
    let number = writer.withBytes { Fingerprint.of($0) }
    return mark << valueBitCount | number >> (64 - valueBitCount)
  }
}

extension ServerFields {
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(digests.count))
    for digest in digests { writer.write(fixed: digest) }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    for _ in 0..<(try reader.readCount(of: "fields of a server")) {
      digests.append(try reader.readFixed(UInt64.self))
    }
  }
}
