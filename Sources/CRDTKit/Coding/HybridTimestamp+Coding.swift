extension HybridTimestamp: CanonicalCodable {
  /// The type code of timestamps.
  @inlinable
  public static var typeCode: [UInt8] { [17] }

  /// Writes the eight bytes of the time and the eight of the replica, highest first.
  ///
  /// So the bytes sort in the order of the timestamps.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    writer.write(fixed: time.bigEndian)
    replica.encode(to: &writer)
  }

  /// Reads sixteen bytes: the time and the replica.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let time = UInt64(bigEndian: try reader.readFixed(UInt64.self))
    self.init(time: time, replica: try ReplicaID(from: &reader))
  }

  /// Writes the difference of the times, then 0 if the replica is that of the previous
  /// timestamp, or 1 and the replica.
  @inlinable
  public func encode(to writer: inout ByteWriter, after previous: HybridTimestamp?) {
    guard let previous else { return encode(to: &writer) }
    writer.write(signedVarint: Int64(bitPattern: time &- previous.time))
    (replica != previous.replica).encode(to: &writer)
    if replica != previous.replica { replica.encode(to: &writer) }
  }

  /// Reads a timestamp as the difference from the previous one.
  @inlinable
  public init(
    from reader: inout ByteReader, after previous: HybridTimestamp?
  ) throws(DecodingFailure) {
    guard let previous else {
      try self.init(from: &reader)
      return
    }
    let time = previous.time &+ UInt64(bitPattern: try reader.readSignedVarint())
    let start = reader.offset
    let isAnother = try Bool(from: &reader)
    let replica = isAnother ? try ReplicaID(from: &reader) : previous.replica
    guard isAnother == (replica != previous.replica) else {
      throw DecodingFailure(.notCanonical("the replica of a stamp"), at: start)
    }
    self.init(time: time, replica: replica)
  }

  /// A number made from the time and the replica.
  @inlinable
  public var _fingerprint: UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(time)
    fingerprint.combine(replica.rawValue)
    return fingerprint.value
  }
}
