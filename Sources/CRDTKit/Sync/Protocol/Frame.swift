/// One message of the sync protocol.
///
/// The header has four bytes: the length of the body, and a check byte. So a damaged
/// length is noticed before the receiver waits for bytes that never come. Kind, body and
/// checksum follow. The checksum covers the frame's number, which is not sent, so lost,
/// repeated and reordered frames are detected.
struct Frame {
  enum Kind: UInt8 {
    case hello = 1
    /// The continuation of a version from an earlier frame.
    case heads = 2
    /// A request to send missing events again, with the version here.
    case again = 3
    case offer = 4
    case data = 5
    case progress = 6
    case acknowledgement = 7
    case goodbye = 8
    /// A delta that fits into a frame, without what was sent before.
    case parcel = 9
    /// The number of further parcels that were applied.
    case taken = 10
    /// The changes of the version here, for a peer that is not sent the events.
    case announcement = 11
    /// The version here, and a request for the events that it lacks.
    case pull = 12
    /// The route from here to the root of a group's tree.
    case route = 13
    /// The digest of the contents here, when both sides have the same version.
    case digest = 14
  }

  static let bodyBytesMax = 1 << 16
  static let headerSize = 4
  /// The number of bytes of header, kind and checksum.
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

  /// The change of the checksum by a frame's number; it repeats only after four billion
  /// frames.
  static func mark(of number: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: number) &* 0x9E37_79B1
  }
}

/// Assembles frames from bytes that arrive split at any point.
///
/// It holds one frame at most.
struct FrameAssembler: Sendable {
  private var buffer: [UInt8] = []
  /// The number of assembled frames.
  private(set) var count: UInt64 = 0

  /// Consumes bytes until a frame is complete; returns `nil` if the bytes run out before.
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

  /// Fills the buffer to a size, and returns whether there were enough bytes.
  private mutating func fill(upTo size: Int, from input: inout ArraySlice<UInt8>) -> Bool {
    let missing = size - buffer.count
    if missing > 0 {
      buffer.append(contentsOf: input.prefix(missing))
      input = input.dropFirst(missing)
    }
    return buffer.count >= size
  }
}
