import CRDTKit

/// One thing in a packet, about one part of the replicated state.
enum PacketItem: Equatable {
  /// An encoded delta.
  case delta(part: Int, bytes: [UInt8])
  /// An encoded version: the sender asks for what it has not seen.
  case request(part: Int, version: [UInt8])
}

extension PacketItem: CanonicalCodable {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .delta(let part, let bytes):
      writer.write(0)
      part.encode(to: &writer)
      writer.write(block: bytes)
    case .request(let part, let version):
      writer.write(1)
      part.encode(to: &writer)
      writer.write(block: version)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let kind = try reader.readByte()
    let part = try Int(from: &reader)
    let bytes = try reader.readBlock()
    switch kind {
    case 0: self = .delta(part: part, bytes: bytes)
    case 1: self = .request(part: part, version: bytes)
    default: throw DecodingFailure(.outOfBounds("the kind of a packet's item"), at: start)
    }
  }
}
