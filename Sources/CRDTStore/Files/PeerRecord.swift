public import CRDTKit

/// A replica that a store has been in touch with.
public struct PeerRecord: Hashable, Sendable {
  /// The peer's replica.
  public var replica: ReplicaID
  /// What it is known to have.
  public var version: VersionVector
  /// When it was last heard of, in milliseconds since 1970 by the clock here.
  public var lastContactMilliseconds: UInt64
}

extension PeerRecord {
  func encode(to writer: inout ByteWriter) {
    replica.encode(to: &writer)
    version.encode(to: &writer)
    writer.write(varint: lastContactMilliseconds)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    replica = try ReplicaID(from: &reader)
    version = try VersionVector(from: &reader)
    lastContactMilliseconds = try reader.readVarint()
  }
}

extension [PeerRecord] {
  func encodeList(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for peer in self { peer.encode(to: &writer) }
  }

  init(listFrom reader: inout ByteReader) throws(DecodingFailure) {
    self = []
    for _ in 0..<(try reader.readCount(of: "peers")) { append(try PeerRecord(from: &reader)) }
  }
}
