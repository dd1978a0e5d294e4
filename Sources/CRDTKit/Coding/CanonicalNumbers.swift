extension CanonicalCodable where Self: FixedWidthInteger & Codable {
  /// Writes the number; numbers near 0 are short.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads a number.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes the difference from the previous number.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    let difference = Int64(truncatingIfNeeded: self) &- Int64(truncatingIfNeeded: previous ?? 0)
    writer.write(signedVarint: difference)
  }

  /// Reads a number as the difference from the previous one.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    let start = reader.offset
    let difference = try reader.readSignedVarint()
    let sum = Int64(truncatingIfNeeded: previous ?? 0) &+ difference
    self.init(truncatingIfNeeded: sum)
    guard Int64(truncatingIfNeeded: self) == sum else {
      throw DecodingFailure(.outOfBounds("a number of \(Self.bitWidth) bits"), at: start)
    }
  }

  /// The fingerprint of the number's lowest 64 bits.
  @inlinable
  public var _fingerprint: UInt64 { Fingerprint.of(UInt64(truncatingIfNeeded: self)) }
}

extension Int: CanonicalCodable {
  /// The type code of `Int` and `Int64`, which have the same form.
  @inlinable
  public static var typeCode: [UInt8] { [1] }
}

extension Int64: CanonicalCodable {
  /// The type code of `Int` and `Int64`, which have the same form.
  @inlinable
  public static var typeCode: [UInt8] { [1] }
}

extension Int32: CanonicalCodable {
  /// The code of `Int32`.
  @inlinable
  public static var typeCode: [UInt8] { [2] }
}

extension Int16: CanonicalCodable {
  /// The code of `Int16`.
  @inlinable
  public static var typeCode: [UInt8] { [3] }
}

extension Int8: CanonicalCodable {
  /// The code of `Int8`.
  @inlinable
  public static var typeCode: [UInt8] { [4] }
}

extension UInt: CanonicalCodable {
  /// The type code of `UInt` and `UInt64`, which have the same form.
  @inlinable
  public static var typeCode: [UInt8] { [5] }
}

extension UInt64: CanonicalCodable {
  /// The type code of `UInt` and `UInt64`, which have the same form.
  @inlinable
  public static var typeCode: [UInt8] { [5] }
}

extension UInt32: CanonicalCodable {
  /// The code of `UInt32`.
  @inlinable
  public static var typeCode: [UInt8] { [6] }
}

extension UInt16: CanonicalCodable {
  /// The code of `UInt16`.
  @inlinable
  public static var typeCode: [UInt8] { [7] }
}

extension UInt8: CanonicalCodable {
  /// The code of `UInt8`.
  @inlinable
  public static var typeCode: [UInt8] { [8] }

  /// Writes the byte as it is.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    writer.write(self)
  }

  /// Reads a byte as it is.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    self = try reader.readByte()
  }
}

extension Double: CanonicalCodable {
  /// The code of `Double`.
  @inlinable
  public static var typeCode: [UInt8] { [9] }

  /// Writes the eight bytes of the IEEE 754 bit pattern, lowest first.
  ///
  /// So −0.0 and 0.0 differ, and so do different NaNs.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: bitPattern)
  }

  /// Reads an IEEE 754 bit pattern.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(bitPattern: try reader.readFixed(UInt64.self))
  }
}

extension Float: CanonicalCodable {
  /// The code of `Float`.
  @inlinable
  public static var typeCode: [UInt8] { [10] }

  /// Writes the four bytes of the IEEE 754 bit pattern, lowest first.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: bitPattern)
  }

  /// Reads an IEEE 754 bit pattern.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(bitPattern: try reader.readFixed(UInt32.self))
  }
}

extension Bool: CanonicalCodable {
  /// The code of `Bool`.
  @inlinable
  public static var typeCode: [UInt8] { [11] }

  /// Writes one byte, 0 or 1.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(self ? 1 : 0 as UInt8)
  }

  /// Reads one byte, 0 or 1.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = false
    case 1: self = true
    default: throw DecodingFailure(.notCanonical("a truth value"), at: start)
    }
  }
}

extension Int128: CanonicalCodable {
  /// The code of `Int128`.
  @inlinable
  public static var typeCode: [UInt8] { [20] }

  /// Writes sixteen bytes in two's complement, lowest first.
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
  public var _fingerprint: UInt64 { UInt128(bitPattern: self)._fingerprint }
}

extension UInt128: CanonicalCodable {
  /// The code of `UInt128`.
  @inlinable
  public static var typeCode: [UInt8] { [21] }

  /// Writes sixteen bytes, lowest first.
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
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(UInt64(truncatingIfNeeded: self))
    fingerprint.combine(UInt64(truncatingIfNeeded: self >> 64))
    return fingerprint.value
  }
}
