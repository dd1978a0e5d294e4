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

/// Puts frames together from bytes that arrive cut at any place.
///
/// It holds one frame at most.
struct FrameAssembler: Sendable {
  private var buffer: [UInt8] = []
  /// How many frames have come.
  private(set) var count: UInt64 = 0

  /// Takes bytes off the front until a frame is whole; `nil` when there are none left.
  mutating func next(from input: inout ArraySlice<UInt8>) throws(SyncFailure) -> Frame? {
    guard fill(upTo: Frame.headerSize, from: &input) else { return nil }
    let header = (0..<Frame.headerSize).reversed().reduce(0 as UInt32) { word, place in
      word << 8 | UInt32(buffer[place])
    }
    let length = header & 0xFF_FFFF
    guard Frame.lengthCheck(of: length) == header >> 24 else {
      throw count == 0 ? .notAPeer : .damaged
    }
    guard length <= Frame.bodyBytesMax else {
      throw .violation("a frame of \(length) bytes, of \(Frame.bodyBytesMax) allowed")
    }
    let size = Int(length) + Frame.overhead
    guard fill(upTo: size, from: &input) else { return nil }
    defer { buffer.removeAll(keepingCapacity: true) }
    return try open(length: Int(length))
  }

  private mutating func open(length: Int) throws(SyncFailure) -> Frame {
    let end = Frame.headerSize + 1 + length
    let isWhole = buffer.withUnsafeBytes { bytes in
      let content = UnsafeRawBufferPointer(rebasing: bytes[Frame.headerSize..<end])
      let stored = bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self)
      return CRC32C.checksum(content) ^ Frame.mark(of: count) == UInt32(littleEndian: stored)
    }
    guard isWhole else { throw .damaged }
    count += 1
    let start = Frame.headerSize + 1
    return Frame(kind: buffer[Frame.headerSize], body: Array(buffer[start..<end]))
  }

  /// Fills the buffer to a size; says whether there were bytes enough.
  private mutating func fill(upTo size: Int, from input: inout ArraySlice<UInt8>) -> Bool {
    let missing = size - buffer.count
    if missing > 0 {
      buffer.append(contentsOf: input.prefix(missing))
      input = input.dropFirst(missing)
    }
    return buffer.count >= size
  }
}
