/// The time of a write, in an order that all replicas share: the wall clock's
/// milliseconds, a count within them, and the writer.
///
/// The timestamps that a replica makes with a ``HybridLogicalClock`` increase, and are
/// greater than every timestamp that the replica had seen. So a write has a greater
/// timestamp than every write its writer had seen, even if the clocks disagree.
///
///     let early = HybridTimestamp(milliseconds: 1_000, replica: laptop)
///     let late = HybridTimestamp(milliseconds: 1_000, logical: 1, replica: phone)
///     early < late                            // true, whoever wrote them
///
/// The text form is `milliseconds.logical@replica`.
@frozen
public struct HybridTimestamp: Hashable, Sendable {
  /// The milliseconds in the upper 48 bits, the count within them in the lower 16.
  public let time: UInt64
  /// The replica that made the timestamp.
  public let replica: ReplicaID

  /// Creates a timestamp from its time as one number: 48 bits of milliseconds, then 16
  /// bits of the count within them.
  @inlinable
  public init(time: UInt64, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// Creates a timestamp.
  ///
  /// - Precondition: `milliseconds` is at most ``maximumMilliseconds``.
  @inlinable
  public init(milliseconds: UInt64, logical: UInt16 = 0, replica: ReplicaID) {
    precondition(milliseconds <= Self.maximumMilliseconds, "more than 48 bits of milliseconds")
    self.init(time: milliseconds << 16 | UInt64(logical), replica: replica)
  }
}

extension HybridTimestamp {
  /// The greatest number of milliseconds that a timestamp can hold: 2⁴⁸ − 1, in the year
  /// 10889.
  @inlinable
  public static var maximumMilliseconds: UInt64 { 1 << 48 - 1 }

  /// The wall clock's milliseconds, usually since 1970.
  @inlinable
  public var milliseconds: UInt64 { time >> 16 }

  /// The number of the timestamp within its millisecond.
  @inlinable
  public var logical: UInt16 { UInt16(truncatingIfNeeded: time) }
}

extension HybridTimestamp: Comparable {
  /// Orders timestamps by their time and, if that is the same, by replica.
  @inlinable
  public static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
    left.rank < right.rank
  }

  /// Time and replica as one number, so that comparing timestamps needs no branch.
  @inlinable
  var rank: UInt128 { UInt128(truncatingIfNeeded: time) << 64 | UInt128(replica.rawValue) }
}

extension HybridTimestamp: LosslessStringConvertible {
  /// Creates a timestamp from its text form; `nil` if the text is malformed.
  public init?(_ description: String) {
    let parts = description.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let replica = ReplicaID(String(parts[1])) else { return nil }
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 2, let milliseconds = UInt64(numbers[0]),
      milliseconds <= HybridTimestamp.maximumMilliseconds, let logical = UInt16(numbers[1])
    else { return nil }
    self.init(milliseconds: milliseconds, logical: logical, replica: replica)
    guard description == self.description else { return nil }
  }

  /// The milliseconds, a point, the count within them, `@` and the replica.
  public var description: String { "\(milliseconds).\(logical)@\(replica)" }
}

extension HybridTimestamp: Codable {
  /// Decodes the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let stamp = HybridTimestamp(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "A stamp is written as milliseconds.logical@replica, not '\(text)'."
      )
    }
    self = stamp
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
