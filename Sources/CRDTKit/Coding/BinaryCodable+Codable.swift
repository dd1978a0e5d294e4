extension BinaryCodable where Self: Encodable {
  /// Encodes the canonical bytes, as a single value that is an array of numbers.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded())
  }
}

extension BinaryCodable where Self: Decodable {
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
