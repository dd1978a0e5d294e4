public import CRDTKit

/// A change of one local value.
struct LocalChange: Hashable, Sendable {
  var key: String
  /// The value; `nil` if it is removed.
  var value: [UInt8]?
}

extension LocalChange {
  func encode(to writer: inout ByteWriter) {
    key.encode(to: &writer)
    guard let value else { return writer.write(0 as UInt8) }
    writer.write(1 as UInt8)
    writer.write(varint: UInt64(value.count))
    writer.write(value)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    key = try String(from: &reader)
    let start = reader.offset
    switch try reader.readByte() {
    case 0: value = nil
    case 1: value = Array(try reader.readBytes(try reader.readCount(of: "bytes of a local value")))
    default: throw DecodingFailure(.invalidValue("neither a value nor a removal"), at: start)
    }
  }
}

extension [LocalChange] {
  func encodeList(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for change in self { change.encode(to: &writer) }
  }

  init(listFrom reader: inout ByteReader) throws(DecodingFailure) {
    self = []
    for _ in 0..<(try reader.readCount(of: "local values")) {
      append(try LocalChange(from: &reader))
    }
  }
}

/// The values that a store keeps for itself beside the document, by name: operations that
/// wait to be sent, versions that the server has acknowledged, records kept in this store
/// only, settings.
///
/// They are never sent to other replicas. They change together with the document: a commit
/// holds both or neither.
typealias LocalValues = [String: [UInt8]]

extension LocalValues {
  mutating func apply(_ changes: [LocalChange]) {
    for change in changes { self[change.key] = change.value }
  }

  /// All values in the order of their names, as changes of an empty set.
  var listed: [LocalChange] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { LocalChange(key: $0.key, value: $0.value) }
  }
}

/// A replica that a store has been in touch with.
public struct PeerRecord: Hashable, Sendable, Identifiable {
  /// The peer's replica.
  public var replica: ReplicaID
  /// The version that the peer is known to have.
  public var version: VersionVector
  /// The last contact with the peer, in milliseconds since 1970 by the clock here.
  public var lastContactMilliseconds: UInt64

  /// The peer's replica.
  public var id: ReplicaID { replica }
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
