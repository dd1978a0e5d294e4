/// The key of a row inside a map: the map's key, then the key that the row has in
/// the value beneath.
@frozen
public struct NestedKey<Outer: Hashable & CanonicalCodable, Inner: Hashable & CanonicalCodable>:
  Hashable, CanonicalCodable
{
  /// The map's key.
  public var outer: Outer
  /// The row's key in the value that the map has under its key.
  public var inner: Inner

  /// Creates the key of a row beneath a map's key.
  @inlinable
  public init(_ outer: Outer, _ inner: Inner) {
    self.outer = outer
    self.inner = inner
  }

  /// Whether both parts are the same.
  @inlinable
  public static func == (left: NestedKey, right: NestedKey) -> Bool {
    KeyIdentity.areSame(left.outer, right.outer) && KeyIdentity.areSame(left.inner, right.inner)
  }

  /// Takes in both parts.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    KeyIdentity.hash(outer, into: &hasher)
    KeyIdentity.hash(inner, into: &hasher)
  }

  /// The outer code, then the inner.
  @inlinable
  public static var typeCode: [UInt8] { Outer.typeCode + Inner.typeCode }

  /// Writes the outer key, then the inner.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  /// Reads the outer key, then the inner.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes each part after the same part of the key before.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    outer.encode(to: &writer, after: previous?.outer)
    inner.encode(to: &writer, after: previous?.inner)
  }

  /// Reads each part after the same part of the key before.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    outer = try Outer(from: &reader, after: previous?.outer)
    inner = try Inner(from: &reader, after: previous?.inner)
  }

  /// Made from the fingerprints of both parts.
  @inlinable
  public var fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(outer.fingerprint)
    fingerprint.combine(inner.fingerprint)
    return fingerprint.value
  }
}
