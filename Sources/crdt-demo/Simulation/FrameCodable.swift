import CRDTKit

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
