import CRDTKit

/// What one replica sends another over a link, all of which arrives or is lost
/// together.
struct Packet: Equatable {
  /// The place of the replica at the other end: the target before a link, the
  /// source after it.
  var peer: Int
  var bytes: [UInt8]
}

extension Packet: CanonicalCodable {
  func encode(to writer: inout ByteWriter) {
    peer.encode(to: &writer)
    writer.write(block: bytes)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    peer = try Int(from: &reader)
    bytes = try reader.readBlock()
  }
}
