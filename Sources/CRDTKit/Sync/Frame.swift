/// One message of the sync protocol.
///
/// Four bytes of header: the length of the body and a byte that checks it, so
/// that a damaged length is noticed before anyone waits for bytes that never
/// come. Then kind, body and checksum. The frame's number goes into the checksum
/// and not over the wire: frames that are lost, repeated or out of order don't
/// fit.
struct Frame {
  enum Kind: UInt8 {
    case hello = 1
    /// More of the version that a frame before has begun.
    case heads = 2
    /// A plea to be sent anew what is missing, with the version.
    case again = 3
    case offer = 4
    case data = 5
    case progress = 6
    case acknowledgement = 7
    case goodbye = 8
    /// A delta small enough for a frame, in the form that leaves out what was told.
    case parcel = 9
    /// How many more parcels were taken in.
    case taken = 10
    /// What has been seen here of late, where it isn't sent.
    case announcement = 11
    /// The version here, and a plea to be sent what it lacks.
    case pull = 12
    /// The way from here to the root of the tree along which a group sends.
    case route = 13
    /// What the contents here come to, where both sides have the same version.
    case digest = 14
  }

  static let bodyBytesMax = 1 << 16
  static let headerSize = 4
  /// Header, kind and checksum.
  static let overhead = 9

  var kind: UInt8
  var body: [UInt8]
}

extension Frame {
  func encoded(number: UInt64) -> [UInt8] {
    var writer = ByteWriter(capacity: body.count + Frame.overhead)
    let length = UInt32(truncatingIfNeeded: body.count)
    writer.write(fixed: length | Frame.lengthCheck(of: length) << 24)
    writer.write(kind)
    writer.write(body)
    let checksum = writer.withBytes { bytes in
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[Frame.headerSize...]))
    }
    writer.write(fixed: checksum ^ Frame.mark(of: number))
    return writer.finish()
  }

  static func lengthCheck(of length: UInt32) -> UInt32 {
    (length ^ length >> 8 ^ length >> 16 ^ 0xA5) & 0xFF
  }

  /// What a frame's number does to its checksum: something else for each of four
  /// thousand million frames in a row.
  static func mark(of number: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: number) &* 0x9E37_79B1
  }
}
