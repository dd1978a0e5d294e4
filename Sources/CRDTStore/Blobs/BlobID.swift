import CRDTKit

/// The name of a blob: the SHA-256 digest of its bytes.
///
/// Equal bytes have equal names on every device, so a record keeps the name, and the
/// bytes go their own way.
public struct BlobID: Hashable, Sendable {
  /// The digest, as 64 hexadecimal digits.
  public let text: String

  /// The name of some bytes.
  ///
  /// - Complexity: O(n) in the bytes.
  public init(of bytes: [UInt8]) {
    text = SHA256.hexadecimalDigest(of: bytes)
  }
}

extension BlobID: LosslessStringConvertible {
  /// The name that a text is; `nil` if it isn't 64 lower-case hexadecimal digits.
  public init?(_ description: String) {
    let digits = description.utf8
    let isDigest =
      digits.count == 64
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    guard isDigest else { return nil }
    text = description
  }

  /// The digest, as 64 hexadecimal digits.
  public var description: String { text }
}

extension BlobID: Codable {
  /// Reads the name from its text.
  ///
  /// - Throws: `DecodingError` if the text is no name of a blob.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = BlobID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a blob's name is 64 hexadecimal digits")
    }
    self = id
  }

  /// Writes the name as its text.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
