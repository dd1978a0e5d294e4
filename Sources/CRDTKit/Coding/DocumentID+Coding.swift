extension DocumentID: CanonicalCodable {
  /// The type code of document identifiers.
  @inlinable
  public static var typeCode: [UInt8] { [22] }

  /// Writes sixteen bytes, in the order of the text form.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: high.bigEndian)
    writer.write(fixed: low.bigEndian)
  }

  /// Reads sixteen bytes.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(
      high: UInt64(bigEndian: try reader.readFixed(UInt64.self)),
      low: UInt64(bigEndian: try reader.readFixed(UInt64.self)))
  }
}
