/// A value that has one canonical form in bytes: what sets can hold, maps can be
/// keyed by and registers can keep.
///
/// The same value gives the same bytes on every machine, whatever its hash
/// seed, locale or word size. The standard library's numbers, strings,
/// booleans, arrays and optionals have such a form. A type of your own gets one
/// from its raw value, or from `Codable`, for the asking:
///
///     enum Priority: Int, CanonicalCodable { case low, high }
///     struct Tag: Hashable, Codable, CanonicalCodable { var name: String }
///
/// Write the two requirements by hand where speed or size counts:
///
///     struct Point: Hashable, CanonicalCodable {
///       var x, y: Int
///       func encode(to writer: inout ByteWriter) {
///         x.encode(to: &writer)
///         y.encode(to: &writer)
///       }
///       init(from reader: inout ByteReader) throws(DecodingFailure) {
///         x = try Int(from: &reader)
///         y = try Int(from: &reader)
///       }
///     }
///
/// Values that are `==` need not have the same bytes (an accent can be part of
/// its letter or follow it); values with the same bytes must be the same.
public protocol CanonicalCodable: Sendable {
  /// Writes the value's canonical form: of at least a byte, unless the type has
  /// only one value.
  func encode(to writer: inout ByteWriter)

  /// Reads a value, refusing bytes that are not its canonical form.
  init(from reader: inout ByteReader) throws(DecodingFailure)

  /// Writes the value where `previous` was written just before, in a column of
  /// such values.
  ///
  /// Numbers write the difference and strings leave out what they share with
  /// the one before. The default ignores `previous`.
  func encode(to writer: inout ByteWriter, after previous: Self?)

  /// Reads a value that was written after `previous`.
  init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure)

  /// Bytes that name the type in a header, so that bytes are never read as
  /// another type than was written.
  ///
  /// Types of your own share the code 127 unless they choose another: one byte
  /// from 64 to 126, or more bytes after it.
  static var typeCode: [UInt8] { get }

  /// A number made from the canonical form: equal bytes give equal numbers, on
  /// every machine.
  var fingerprint: UInt64 { get }
}

extension CanonicalCodable {
  /// Writes the value as it would be written alone.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    encode(to: &writer)
  }

  /// Reads a value as it would be read alone.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    try self.init(from: &reader)
  }

  /// The code of types that have none of their own.
  @inlinable
  public static var typeCode: [UInt8] { [127] }

  /// A number made from the bytes that `encode(to:)` writes.
  @inlinable
  public var fingerprint: UInt64 {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.withBytes { Fingerprint.of($0) }
  }

  /// Whether two values have the same canonical form.
  @inlinable
  func hasSameForm(as other: Self) -> Bool {
    if isStored(as: other) { return true }
    var left = ByteWriter()
    encode(to: &left)
    var right = ByteWriter()
    other.encode(to: &right)
    return left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
  }

  /// Whether the value's canonical form comes before another's, byte by byte.
  @inlinable
  func precedes(_ other: Self) -> Bool {
    if isStored(as: other) { return false }
    var left = ByteWriter()
    encode(to: &left)
    var right = ByteWriter()
    other.encode(to: &right)
    return left.withBytes { left in right.withBytes { left.lexicographicallyPrecedes($0) } }
  }

  /// Whether two values are the same bits in memory, and so have the same form.
  ///
  /// The same number always is, the same text need not be.
  @inlinable
  func isStored(as other: Self) -> Bool {
    // Values without bytes need have no address that could be read.
    guard MemoryLayout<Self>.size > 0 else { return true }
    return withUnsafeBytes(of: self) { own in
      withUnsafeBytes(of: other) { own.elementsEqual($0) }
    }
  }
}

/// A value whose `Codable` form is its canonical bytes: the types of this
/// package, whose insides are no one else's business.
///
/// A struct of your own that is ``BinaryCodable`` and `Codable` is the other way
/// round: its canonical form comes from `Codable`, field by field.
public protocol BytesCodable: BinaryCodable, Codable {}

extension BytesCodable {
  /// Encodes the canonical bytes, as a single value that is an array of numbers.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded())
  }

  /// Decodes the canonical bytes.
  @inlinable
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let bytes = try container.decode([UInt8].self)
    do {
      try self.init(decoding: bytes)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "These are not the canonical bytes of \(Self.self): \(error).",
          underlyingError: error
        )
      )
    }
  }
}

extension BytesCodable {
  /// Not there: the canonical form can't come from `Codable`, which itself comes
  /// from the canonical bytes.
  @available(*, unavailable, message: "write the canonical form by hand")
  public func encode(to writer: inout ByteWriter) {}

  /// Not there: the canonical form can't come from `Codable`, which itself comes
  /// from the canonical bytes.
  @available(*, unavailable, message: "write the canonical form by hand")
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    throw reader.failure(.truncated)
  }
}
