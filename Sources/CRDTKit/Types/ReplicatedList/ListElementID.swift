/// The identity of an element of a ``ReplicatedList``.
///
/// An element keeps it when it is moved, replaced or edited. Two elements never have the same,
/// also if their values are equal. You can store it and send it to other replicas.
@frozen
public struct ListElementID: Hashable, Codable, Sendable {
  /// The event that inserted the element.
  public let dot: Dot

  /// Creates the identity of the element that an event has inserted.
  @inlinable
  public init(_ dot: Dot) {
    self.dot = dot
  }
}

extension ListElementID: Comparable {
  /// Orders elements by their events: by replica, then by time.
  @inlinable
  public static func < (left: ListElementID, right: ListElementID) -> Bool {
    left.dot < right.dot
  }
}

extension ListElementID: CustomStringConvertible {
  /// The event's text form.
  public var description: String { dot.description }
}

extension ListElementID: CanonicalCodable {
  /// The type code of elements' identities.
  @inlinable
  public static var typeCode: [UInt8] { [23] }

  /// Writes sixteen bytes: the replica, then the event's counter, both highest byte first.
  ///
  /// So the bytes sort in the order of the identities.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    dot.replica.encode(to: &writer)
    writer.write(fixed: dot.counter.bigEndian)
  }

  /// Reads sixteen bytes: the replica and the event's counter.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let replica = try ReplicaID(from: &reader)
    let counter = UInt64(bigEndian: try reader.readFixed(UInt64.self))
    guard counter >= 1, counter <= Dot.counterMax else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    self.init(Dot(replica, counter))
  }

  /// A number made from the event.
  @inlinable
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(dot.replica.rawValue)
    fingerprint.combine(dot.counter)
    return fingerprint.value
  }
}
