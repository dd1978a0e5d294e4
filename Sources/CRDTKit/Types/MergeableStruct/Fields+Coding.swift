extension Fields.Version: CanonicalCodable, BinaryCodable
where repeat (each Value).Version: CanonicalCodable {
  /// The codes of versions and of structs, the number of fields, and the codes of
  /// the fields' versions.
  public static var typeCode: [UInt8] {
    var codes: [[UInt8]] = []
    for version in repeat (each Value).Version.self { codes.append(version.typeCode) }
    return [30] + structCode(of: codes)
  }

  /// Writes the versions of the fields, one after another.
  public func encode(to writer: inout ByteWriter) {
    for version in repeat each versions { version.encode(to: &writer) }
  }

  /// Reads the versions of the fields.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    versions = (repeat try (each Value).Version(from: &reader))
  }
}

extension Fields.Delta: CanonicalCodable, BinaryCodable
where repeat (each Value).Delta: CanonicalCodable {
  /// The codes of deltas and of structs, the number of fields, and the codes of
  /// the fields' deltas.
  public static var typeCode: [UInt8] {
    var codes: [[UInt8]] = []
    for delta in repeat (each Value).Delta.self { codes.append(delta.typeCode) }
    return [31] + structCode(of: codes)
  }

  /// Writes the deltas of the fields, one after another.
  public func encode(to writer: inout ByteWriter) {
    for delta in repeat each deltas { delta.encode(to: &writer) }
  }

  /// Reads the deltas of the fields.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    deltas = (repeat try (each Value).Delta(from: &reader))
  }
}

/// The code of structs, the number of fields, and their codes.
private func structCode(of fields: [[UInt8]]) -> [UInt8] {
  var writer = ByteWriter()
  writer.write(41 as UInt8)
  writer.write(varint: UInt64(fields.count))
  for code in fields { writer.write(code) }
  return writer.finish()
}
