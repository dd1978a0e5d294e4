/// The identifier of one replica: a writer that makes events one after another.
///
/// Every device, process or branch that writes needs an identifier of its own. Two places
/// that write under one identifier cause a *fork*: their events have the same dots.
/// Merging reports a fork.
///
///     let phone = ReplicaID.random()
///     let same = ReplicaID(phone.description)
///
/// The text form is sixteen lowercase hexadecimal digits. Text forms sort in the same
/// order as the identifiers.
@frozen
public struct ReplicaID: Hashable, Sendable, RawRepresentable {
  /// The identifier as an integer.
  public let rawValue: UInt64

  /// Creates the identifier with the given number, from bytes or text that hold it.
  ///
  /// A new replica takes a ``random()`` one: small numbers, chosen twice, cause forks.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the identifier with the given number.
  ///
  /// For this package alone: a number that an app chooses is hardly unique.
  @inlinable
  package init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Returns a new identifier from the system's random numbers.
  ///
  /// Among a million replicas, the chance that any two are equal is less than
  /// one in thirty million.
  public static func random() -> ReplicaID {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// Returns a new identifier from the given source of random numbers.
  ///
  /// It is never that of an ``authority(named:)`` or of a delegate.
  public static func random(using generator: inout some RandomNumberGenerator) -> ReplicaID {
    ReplicaID(outsideOfAuthorities(generator.next()))
  }
}

extension ReplicaID: Comparable {
  /// Orders identifiers by their number: an arbitrary order that is the same on every
  /// machine.
  @inlinable
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension ReplicaID: LosslessStringConvertible {
  /// Creates an identifier from its text form; `nil` unless the text is sixteen
  /// hexadecimal digits.
  public init?(_ description: String) {
    let digits = description.utf8
    guard digits.count == 16, !digits.contains(UInt8(ascii: "+")),
      !digits.contains(UInt8(ascii: "-")), let rawValue = UInt64(description, radix: 16)
    else { return nil }
    self.init(rawValue)
  }

  /// Sixteen lowercase hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension ReplicaID: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let replica = ReplicaID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "A replica identifier is sixteen hexadecimal digits, not '\(text)'."
      )
    }
    self = replica
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
