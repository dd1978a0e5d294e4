import CRDTKit

/// What the coordinator and a replica tell each other about the stream between
/// the replica and one of its neighbours.
struct LinkMessage: Equatable {
  enum Content: Equatable {
    /// There is a new stream. Only the coordinator says so.
    case opened
    /// Bytes for the stream, or from it.
    case bytes([UInt8])
    /// The stream broke or was closed.
    case ended
  }

  /// The place of the replica at the other end.
  var peer: Int
  /// Which of the link's streams it is about, counted from 1: what still comes of
  /// an earlier one is thrown away.
  var connection: Int
  var content: Content
}

extension LinkMessage: CanonicalCodable {
  func encode(to writer: inout ByteWriter) {
    peer.encode(to: &writer)
    connection.encode(to: &writer)
    switch content {
    case .opened:
      writer.write(0)
    case .bytes(let bytes):
      writer.write(1)
      writer.write(block: bytes)
    case .ended:
      writer.write(2)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    peer = try Int(from: &reader)
    connection = try Int(from: &reader)
    let start = reader.offset
    switch try reader.readByte() {
    case 0: content = .opened
    case 1: content = .bytes(try reader.readBlock())
    case 2: content = .ended
    default: throw DecodingFailure(.outOfBounds("the kind of a link's message"), at: start)
    }
  }
}
