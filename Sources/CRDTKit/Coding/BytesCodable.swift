/// A value whose `Codable` form is its canonical bytes: the types of this
/// package, whose insides are no one else's business.
///
/// A struct of your own that is ``BinaryCodable`` and `Codable` is the other way
/// round: its canonical form comes from `Codable`, field by field.
public protocol BytesCodable: BinaryCodable, Codable {}

extension BytesCodable {
  /// The canonical form as it stands within a node of a struct, without an envelope.
  ///
  /// Tables begin with the version of the format there: version 1 had no need to.
  func formInNode(depth: Int = 0) -> [UInt8] {
    var writer = ByteWriter()
    writer.nodeDepth = depth
    if Self.self is any TableBacked.Type {
      writer.write(BinaryFormat.tableMark)
      writer.write(BinaryFormat.version)
    }
    encode(to: &writer)
    return writer.finish()
  }

  /// Reads what ``formInNode(depth:)`` gave.
  init(formInNode bytes: [UInt8], depth: Int = 0) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    reader.depth = depth
    reader.nodeDepth = depth
    if Self.self is any TableBacked.Type {
      reader.formatVersion = 1
      if bytes.starts(with: BinaryFormat.tableMark) {
        _ = try reader.readBytes(BinaryFormat.tableMark.count)
        reader.formatVersion = try reader.readByte()
        guard (2...BinaryFormat.version).contains(reader.formatVersion) else {
          throw DecodingFailure(.unsupportedVersion(reader.formatVersion), at: 2)
        }
      }
    }
    try self.init(from: &reader)
    guard reader.remaining == 0 else { throw reader.failure(.trailingBytes) }
  }
}

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
