import CRDTKit

extension ByteWriter {
  /// Writes bytes after their number.
  mutating func write(block bytes: [UInt8]) {
    write(varint: UInt64(bytes.count))
    write(bytes)
  }
}

extension ByteReader {
  /// Reads bytes after their number.
  mutating func readBlock() throws(DecodingFailure) -> [UInt8] {
    Array(try readBytes(try readCount(of: "bytes")))
  }
}
