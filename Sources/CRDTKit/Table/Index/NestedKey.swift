/// The key of a row inside a map: the map's key, then the row's key in the value.
@frozen
public struct NestedKey<Outer: Hashable & CanonicalCodable, Inner: Hashable & CanonicalCodable>:
  Hashable, CanonicalCodable
{
  /// The map's key.
  public var outer: Outer
  /// The row's key in the map's value.
  public var inner: Inner

  /// Creates the key of a row under a map's key.
  @inlinable
  public init(_ outer: Outer, _ inner: Inner) {
    self.outer = outer
    self.inner = inner
  }

  /// Returns whether both parts are the same.
  @inlinable
  public static func == (left: NestedKey, right: NestedKey) -> Bool {
    KeyIdentity.areSame(left.outer, right.outer) && KeyIdentity.areSame(left.inner, right.inner)
  }

  /// Hashes both parts.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    KeyIdentity.hash(outer, into: &hasher)
    KeyIdentity.hash(inner, into: &hasher)
  }

  /// The type code of the outer key, then of the inner.
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

  /// Writes each part relative to the same part of the previous key.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: Self?) {
    outer.encode(to: &writer, after: previous?.outer)
    inner.encode(to: &writer, after: previous?.inner)
  }

  /// Writes the parts at their addresses.
  @inlinable
  public static func _encode(
    _ key: UnsafePointer<Self>, after previous: UnsafePointer<Self>?,
    to writer: inout ByteWriter
  ) {
    Outer._encode(outer(of: key), after: previous.map(outer), to: &writer)
    Inner._encode(inner(of: key), after: previous.map(inner), to: &writer)
  }

  @inlinable
  @inline(__always)
  static func outer(of key: UnsafePointer<Self>) -> UnsafePointer<Outer> {
    withUnsafePointer(to: &UnsafeMutablePointer(mutating: key).pointee.outer) { UnsafePointer($0) }
  }

  @inlinable
  @inline(__always)
  static func inner(of key: UnsafePointer<Self>) -> UnsafePointer<Inner> {
    withUnsafePointer(to: &UnsafeMutablePointer(mutating: key).pointee.inner) { UnsafePointer($0) }
  }

  /// Reads each part relative to the same part of the previous key.
  @inlinable
  public init(from reader: inout ByteReader, after previous: Self?) throws(DecodingFailure) {
    outer = try Outer(from: &reader, after: previous?.outer)
    inner = try Inner(from: &reader, after: previous?.inner)
  }

  /// A number made from the fingerprints of both parts.
  @inlinable
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(outer._fingerprint)
    fingerprint.combine(inner._fingerprint)
    return fingerprint.value
  }
}
