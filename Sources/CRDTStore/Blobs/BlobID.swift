import CRDTKit

/// The name of a blob: the SHA-256 digest of its bytes.
///
/// Equal bytes have equal names on every device. So a record stores the name, and you
/// exchange the bytes separately.
public struct BlobID: Hashable, Sendable {
  /// The digest, as 64 hexadecimal digits.
  public let text: String

  /// Computes the name of some bytes.
  ///
  /// - Complexity: O(number of bytes).
  public init(of bytes: [UInt8]) {
    text = SHA256.hexadecimalDigest(of: bytes)
  }
}

extension BlobID: LosslessStringConvertible {
  /// Creates a name from its text; `nil` if it isn't 64 lower-case hexadecimal digits.
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
  /// Decodes the name from its text.
  ///
  /// - Throws: `DecodingError` if the text is no blob's name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = BlobID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a blob's name is 64 hexadecimal digits")
    }
    self = id
  }

  /// Encodes the name as its text.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The names of a blob store's files: fixed, or made of a digest and a size.
enum BlobNames {
  static let lock = "LOCK"
  static let recent = "RECENT"
  /// The name that a sealed store's secret is stored under.
  static let secret = "NAMES"
  private static let sealedSuffix = ".sealed"
  private static let markSuffix = ".mark"

  /// A fact about a blob, recorded by an empty file beside it.
  enum Mark: String, CaseIterable {
    case pinned
    case unsent
    /// An upload was sent. Without the mark, an upload isn't sent.
    case sent
  }

  /// The name of a blob's file.
  ///
  /// With a secret, it is a sealed file's name, which reveals only the blob's size.
  static func blob(_ key: BlobCore.Key, size: Int, _ secret: BlobSecret?) -> String {
    guard let secret else { return "\(key.id.text)-\(size)" }
    return "\(digest(of: key, nil, secret))-\(size)\(sealedSuffix)"
  }

  /// The name of a mark; with a secret, nobody else can make it, or tell whose mark it is.
  static func mark(_ mark: Mark, of key: BlobCore.Key, _ secret: BlobSecret?) -> String {
    guard let secret else { return "\(key.id.text).\(mark.rawValue)" }
    return digest(of: key, mark, secret) + markSuffix
  }

  /// The first digits of a sealed blob's file name.
  static func digest(of key: BlobCore.Key, _ mark: Mark?, _ secret: BlobSecret) -> String {
    let text = "\(key.blobClass.rawValue)/\(key.id.text)/\(mark?.rawValue ?? "")"
    return KeyedDigest.digest(of: Array(text.utf8), key: secret.key).hexadecimal
  }

  /// The blob or mark that a name stands for; `nil` if it isn't one of the store's names.
  static func parse(_ name: String) -> Part? {
    let digits = String(name.prefix(64))
    guard let id = BlobID(digits) else { return nil }
    var rest = name.dropFirst(64)
    if rest == markSuffix { return .sealedMark }
    let isUnfinished = rest.hasSuffix(FileNames.unfinished)
    if isUnfinished { rest = rest.dropLast(FileNames.unfinished.count) }
    let isSealed = rest.hasSuffix(sealedSuffix)
    if isSealed { rest = rest.dropLast(sealedSuffix.count) }
    if let size = size(rest) {
      if isUnfinished { return .unfinished }
      return isSealed ? .sealedBlob(digits: digits, size: size) : .blob(id, size: size)
    }
    guard !isUnfinished, !isSealed, rest.hasPrefix("."),
      let mark = Mark(rawValue: String(rest.dropFirst()))
    else { return nil }
    return .mark(mark, id)
  }

  enum Part {
    case blob(BlobID, size: Int)
    case mark(Mark, BlobID)
    case sealedBlob(digits: String, size: Int)
    case sealedMark
    case unfinished
  }

  /// The maximum size of a blob.
  ///
  /// With it, sizes can be added up whatever names there are, and no memory is allocated
  /// for impossible sizes.
  static let sizeMax = 1 << 32

  private static func size(_ text: Substring) -> Int? {
    let size = Int(text.dropFirst())
    return size.flatMap { (0...sizeMax).contains($0) && "-\($0)" == text ? $0 : nil }
  }
}
