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
