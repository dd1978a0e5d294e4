/// The identifier of one document: all copies that are kept in sync have the same one.
///
/// It is random and made with the document. So two unrelated documents never merge, even
/// after a wrong path, a copied folder or a shared key.
///
///     let board = DocumentID.random()
///     let same = DocumentID(board.description)
///
/// The text form is thirty-two lowercase hexadecimal digits. Text forms sort in the same
/// order as the identifiers.
@frozen
public struct DocumentID: Hashable, Sendable {
  /// The first eight bytes as an integer, the highest byte first.
  public let high: UInt64
  /// The last eight bytes as an integer, the highest byte first.
  public let low: UInt64

  /// Creates an identifier from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns a new identifier from the system's random numbers.
  public static func random() -> DocumentID {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// Returns a new identifier from the given source of random numbers.
  public static func random(using generator: inout some RandomNumberGenerator) -> DocumentID {
    DocumentID(high: generator.next(), low: generator.next())
  }
}

extension DocumentID: Comparable {
  /// Orders identifiers by their bytes: an arbitrary order that is the same on every
  /// machine.
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
