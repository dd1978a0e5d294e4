/// A value with one canonical form in bytes.
///
/// Elements of sets, keys of maps and values of registers conform to this protocol.
///
/// The same value gives the same bytes on every machine, whatever its hash seed, locale
/// or word size. The standard library's numbers, strings, booleans, arrays and optionals
/// conform already. For a type of your own with a raw value or a `Codable` conformance,
/// declare the conformance:
///
///     enum Priority: Int, CanonicalCodable { case low, high }
///     struct Tag: Hashable, Codable, CanonicalCodable { var name: String }
///
/// If speed or size matters, implement the two requirements yourself:
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
/// Values that are `==` need not have the same bytes (an accent can be part of its letter
/// or follow it). Values with the same bytes must be the same.
public protocol CanonicalCodable: Sendable {
  /// Writes the value's canonical form: at least one byte, unless the type has only one
  /// value.
  func encode(to writer: inout ByteWriter)

  /// Reads a value, and throws if the bytes are not its canonical form.
  init(from reader: inout ByteReader) throws(DecodingFailure)

  /// Writes the value in a column of such values, right after `previous`.
  ///
  /// Numbers write the difference, and strings leave out the beginning they share with
  /// the previous one. The default implementation ignores `previous`.
  func encode(to writer: inout ByteWriter, after previous: Self?)

  /// Writes the value at an address as ``encode(to:after:)`` does.
  ///
  /// Implement it only where copies of the two values would take longer than writing one.
  static func _encode(
    _ value: UnsafePointer<Self>, after previous: UnsafePointer<Self>?,
    to writer: inout ByteWriter)

  /// Reads a value that was written after `previous`.
  init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure)

  /// The bytes that identify the type in a header, so that a reader rejects bytes of
  /// another type.
  ///
  /// Types of your own share the code 127 unless they choose another one: a byte from 64
  /// to 126, optionally followed by more bytes.
  static var typeCode: [UInt8] { get }

  /// A number made from the canonical form; equal bytes give equal numbers on every
  /// machine.
  var _fingerprint: UInt64 { get }
}

extension CanonicalCodable {
  /// Writes the value as it would be written alone.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    encode(to: &writer)
  }

  /// Writes a copy of the value.
  @inlinable
  public static func _encode(
    _ value: UnsafePointer<Self>, after previous: UnsafePointer<Self>?,
    to writer: inout ByteWriter
  ) {
    value.pointee.encode(to: &writer, after: previous?.pointee)
  }

  /// Reads a value as it would be read alone.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    try self.init(from: &reader)
  }

  /// The shared code of types without a code of their own.
  @inlinable
  public static var typeCode: [UInt8] { [127] }

  /// A number made from the bytes that `encode(to:)` writes.
  @inlinable
  public var _fingerprint: UInt64 {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.withBytes { Fingerprint.of($0) }
  }

  /// Returns whether two values have the same canonical form.
  @inlinable
  func hasSameForm(as other: Self) -> Bool {
    if isStored(as: other) { return true }
    var left = ByteWriter()
    encode(to: &left)
    var right = ByteWriter()
    other.encode(to: &right)
    return left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
  }

  /// Returns whether the value's canonical form is less than another's, byte by byte.
  @inlinable
  func precedes(_ other: Self) -> Bool {
    if isStored(as: other) { return false }
    var left = ByteWriter()
    encode(to: &left)
    var right = ByteWriter()
    other.encode(to: &right)
    return left.withBytes { left in right.withBytes { left.lexicographicallyPrecedes($0) } }
  }

  /// Returns whether two values have the same bits in memory, and therefore the same
  /// form.
  ///
  /// Equal numbers always do; equal texts might not.
  @inlinable
  func isStored(as other: Self) -> Bool {
    // A value of size zero might have no readable address.
    guard MemoryLayout<Self>.size > 0 else { return true }
    if MemoryLayout<Self>.size == MemoryLayout<UInt128>.size {
      return unsafeBitCast(self, to: UInt128.self) == unsafeBitCast(other, to: UInt128.self)
    }
    return withUnsafeBytes(of: self) { own in
      withUnsafeBytes(of: other) { own.elementsEqual($0) }
    }
  }
}

/// A value whose `Codable` form is its canonical bytes.
///
/// The types of this package conform to it to hide their internals.
///
/// A struct of your own that is ``BinaryCodable`` and `Codable` works the other way
/// round: its canonical form comes from `Codable`, field by field.
public protocol BytesCodable: BinaryCodable, Codable {}

extension BytesCodable {
  /// Encodes the canonical bytes as a single value, an array of numbers.
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
  /// Unavailable: the canonical form can't come from `Codable`, because the `Codable`
  /// form comes from the canonical bytes.
  @available(*, unavailable, message: "write the canonical form by hand")
  public func encode(to writer: inout ByteWriter) {}

  /// Unavailable: the canonical form can't come from `Codable`, because the `Codable`
  /// form comes from the canonical bytes.
  @available(*, unavailable, message: "write the canonical form by hand")
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    throw reader.failure(.truncated)
  }
}
