/// The value that says nothing: the key of rows of which there is one kind, the
/// payload of rows whose key says it all.
@frozen
public struct Unit: Hashable, CanonicalCodable {
  /// Creates the only value there is.
  @inlinable
  public init() {}

  /// Empty: what it is part of has a code.
  @inlinable
  public static var typeCode: [UInt8] { [] }

  /// Writes nothing.
  @inlinable
  public func encode(to writer: inout ByteWriter) {}

  /// Reads nothing.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {}

  /// Always the same.
  @inlinable
  public var fingerprint: UInt64 { 0 }
}
