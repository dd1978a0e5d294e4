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
    version.encodeEntries(to: &writer)
    writer.write(varint: lastContactMilliseconds)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    replica = try ReplicaID(from: &reader)
    version = try VersionVector(entriesFrom: &reader)
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

extension VersionVector {
  /// Writes the number of entries, then each: the replica and its counter.
  func encodeEntries(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for entry in self {
      entry.replica.encode(to: &writer)
      writer.write(varint: entry.counter)
    }
  }

  init(entriesFrom reader: inout ByteReader) throws(DecodingFailure) {
    self.init()
    var last: ReplicaID?
    for _ in 0..<(try reader.readCount(of: "a version's entries")) {
      let start = reader.offset
      let replica = try ReplicaID(from: &reader)
      let counter = try reader.readVarint()
      guard last.map({ $0 < replica }) ?? true, counter > 0 else {
        throw DecodingFailure(.notCanonical("a version"), at: start)
      }
      self[replica] = counter
      last = replica
    }
  }
}
