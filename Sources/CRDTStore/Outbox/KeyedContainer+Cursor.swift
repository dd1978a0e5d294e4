import CRDTKit

extension KeyedEncodingContainer {
  /// Encodes the bytes of a cursor in base64, if there are any.
  mutating func encodeCursor(_ cursor: [UInt8]?, forKey key: Key) throws {
    try encodeIfPresent(cursor.map { Base64.text(of: $0) }, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes the bytes of a cursor, if there are any.
  func decodeCursor(forKey key: Key) throws -> [UInt8]? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let bytes = Base64.bytes(of: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "A cursor is bytes in base64, not '\(text)'.")
    }
    return bytes
  }
}
