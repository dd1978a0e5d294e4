import CRDTKit

/// A change of one local value.
struct LocalChange: Hashable, Sendable {
  var key: String
  /// The value; `nil` where it is removed.
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
