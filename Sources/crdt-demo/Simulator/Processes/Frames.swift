import CRDTKit
import Toolkit

/// Splits a byte stream into frames: a little-endian length of four bytes, and that many
/// bytes.
struct FrameBuffer {
  /// The greatest accepted frame length in bytes.
  static let lengthMax = 256 << 20

  private var bytes: [UInt8] = []
  private var start = 0

  /// Whether the stream has stopped in the middle of a frame.
  var isPartial: Bool { start < bytes.count }

  /// Lets the stream go on.
  mutating func append<Result, Failure: Error>(
    _ body: (inout [UInt8]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if start > 1 << 16 || start == bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
    return try body(&bytes)
  }

  /// The next complete frame; `nil` if it has not arrived completely.
  mutating func next() throws(CommandFailure) -> [UInt8]? {
    guard bytes.count - start >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
    guard length <= Self.lengthMax else {
      throw CommandFailure("a message of \(length) bytes is too long")
    }
    let end = start + 4 + length
    guard bytes.count >= end else { return nil }
    defer { start = end }
    return Array(bytes[start + 4..<end])
  }

  /// A frame around some bytes.
  static func frame(_ body: [UInt8]) -> [UInt8] {
    let length = UInt32(body.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) } + body
  }
}

/// A message between the coordinator and a replica.
protocol FrameCodable {
  func encode(to writer: inout ByteWriter)
  init(from reader: inout ByteReader) throws(DecodingFailure)
}

extension FrameCodable {
  /// The message as a frame.
  var frame: [UInt8] {
    var writer = ByteWriter(capacity: 256)
    encode(to: &writer)
    return FrameBuffer.frame(writer.finish())
  }

  /// Creates the message that a frame held.
  init(body: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(body)
    self = try Self(from: &reader)
    guard reader.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: reader.offset)
    }
  }
}

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
