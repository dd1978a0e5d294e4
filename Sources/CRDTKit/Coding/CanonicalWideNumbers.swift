extension Int128: CanonicalCodable {
  /// The code of `Int128`.
  @inlinable
  public static var typeCode: [UInt8] { [20] }

  /// Writes sixteen bytes in two's complement, the lowest first.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: self)
  }

  /// Reads sixteen bytes.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readFixed(Int128.self)
  }

  /// Writes the number as it would be written alone.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Int128?) {
    encode(to: &writer)
  }

  /// Reads a number as it would be read alone.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Int128?) throws(DecodingFailure) {
    try self.init(from: &reader)
  }

  /// A number made from all 128 bits.
  @inlinable
  public var fingerprint: UInt64 { UInt128(bitPattern: self).fingerprint }
}

extension UInt128: CanonicalCodable {
  /// The code of `UInt128`.
  @inlinable
  public static var typeCode: [UInt8] { [21] }

  /// Writes sixteen bytes, the lowest first.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: self)
  }

  /// Reads sixteen bytes.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readFixed(UInt128.self)
  }

  /// Writes the number as it would be written alone.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: UInt128?) {
    encode(to: &writer)
  }

  /// Reads a number as it would be read alone.
  @inlinable
  public init(from reader: inout ByteReader, after previous: UInt128?) throws(DecodingFailure) {
    try self.init(from: &reader)
  }

  /// A number made from all 128 bits.
  @inlinable
  public var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(UInt64(truncatingIfNeeded: self))
    fingerprint.combine(UInt64(truncatingIfNeeded: self >> 64))
    return fingerprint.value
  }
}
