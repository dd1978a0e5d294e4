/// How far a transfer had come when its stream broke.
struct PartialTransfer: Sendable {
  let digest: UInt64
  let total: Int
  let offset: Int
}

extension PartialTransfer {
  init(_ incoming: IncomingTransfer) {
    self.init(digest: incoming.digest, total: incoming.total, offset: incoming.bytes.count)
  }

  func encode(to writer: inout ByteWriter) {
    writer.write(fixed: digest)
    writer.write(varint: UInt64(total))
    writer.write(varint: UInt64(offset))
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let digest = try reader.readFixed(UInt64.self)
    let start = reader.offset
    let total = try reader.readVarint()
    let offset = try reader.readVarint()
    guard total <= UInt64(Int.max), offset < total else {
      throw DecodingFailure(.outOfBounds("the offset in a transfer"), at: start)
    }
    self.init(digest: digest, total: Int(total), offset: Int(offset))
  }
}
