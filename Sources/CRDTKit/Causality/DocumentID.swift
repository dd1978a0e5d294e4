/// The name of one document: of all copies that are kept in sync with one another.
///
/// It is random and made with the document, so that two documents that have nothing to do
/// with each other never merge: not because of a wrong path, a copied folder or a shared key.
///
///     let board = DocumentID.random()
///     let same = DocumentID(board.description)
///
/// The text form is thirty-two lowercase hexadecimal digits, in the same order as the
/// identifiers themselves.
@frozen
public struct DocumentID: Hashable, Sendable {
  /// The first eight bytes as an integer, the highest byte first.
  public let high: UInt64
  /// The last eight bytes as an integer, the highest byte first.
  public let low: UInt64

  /// Creates the identifier with the given numbers.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A fresh identifier from the system's random numbers.
  public static func random() -> DocumentID {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// A fresh identifier from the given source of random numbers.
  public static func random(using generator: inout some RandomNumberGenerator) -> DocumentID {
    DocumentID(high: generator.next(), low: generator.next())
  }
}

extension DocumentID: Comparable {
  /// Orders identifiers by their bytes: an order that means nothing but is the same
  /// everywhere.
  @inlinable
  public static func < (left: DocumentID, right: DocumentID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension DocumentID: LosslessStringConvertible {
  /// Creates an identifier from its text form; `nil` unless the text is thirty-two
  /// hexadecimal digits.
  public init?(_ description: String) {
    guard description.utf8.count == 32,
      let high = ReplicaID(String(description.prefix(16))),
      let low = ReplicaID(String(description.dropFirst(16)))
    else { return nil }
    self.init(high: high.rawValue, low: low.rawValue)
  }

  /// Thirty-two lowercase hexadecimal digits.
  public var description: String { "\(ReplicaID(high))\(ReplicaID(low))" }
}

extension DocumentID: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let document = DocumentID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "A document identifier is 32 hexadecimal digits, not '\(text)'.")
    }
    self = document
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
