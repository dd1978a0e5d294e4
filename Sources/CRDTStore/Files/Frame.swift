import CRDTKit

/// A section of a file that is either whole or not: sixteen bytes of head, and a body.
///
/// The head holds the body's size, its checksum, the frame's offset, and a checksum of
/// these that is bound to the file. So a frame is not accepted at another offset than its
/// own, or in another file. A right head with a wrong body shows that a write had begun
/// there. A head at another offset than it says shows that bytes were lost or inserted.
enum Frame {
  static let headSize = 16
  /// The maximum number of bytes in a body: its size takes four bytes.
  static let bodySizeMax = Int(UInt32.max)

  /// The contents of a frame's head.
  struct Head {
    var bodySize: UInt32
    var bodyChecksum: UInt32
    /// The lowest 32 bits of the offset at which the frame was written.
    var offset: UInt32

    fileprivate func checksum(in file: FileHead) -> UInt32 {
      let words = (
        file.store.littleEndian, file.number.littleEndian,
        (UInt64(offset) << 8 | UInt64(file.kind.rawValue)).littleEndian,
        (UInt64(bodyChecksum) << 32 | UInt64(bodySize)).littleEndian
      )
      return withUnsafeBytes(of: words) { CRC32C.checksum($0) }
    }

    /// Whether the frame is at the offset where it was written.
    func isInPlace(at offset: Int) -> Bool {
      self.offset == UInt32(truncatingIfNeeded: offset)
    }
  }
}

extension Frame {
  /// Fills in the head of a frame, whose body follows the room for it.
  static func seal(_ frame: UnsafeMutableRawBufferPointer, at offset: Int, in file: FileHead) {
    let body = UnsafeRawBufferPointer(rebasing: frame[headSize...])
    let head = Head(
      bodySize: UInt32(truncatingIfNeeded: body.count), bodyChecksum: CRC32C.checksum(body),
      offset: UInt32(truncatingIfNeeded: offset))
    for (place, word) in [
      head.bodySize, head.bodyChecksum, head.offset, head.checksum(in: file),
    ].enumerated() {
      frame.storeBytes(of: word.littleEndian, toByteOffset: 4 * place, as: UInt32.self)
    }
  }

  /// The head at an offset of a file's bytes, if there is one, wherever it was written.
  static func head(at place: Int, of bytes: UnsafeRawBufferPointer, in file: FileHead) -> Head? {
    guard place >= 0, place <= bytes.count - headSize else { return nil }
    func word(_ number: Int) -> UInt32 {
      let offset = place + 4 * number
      return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let head = Head(bodySize: word(0), bodyChecksum: word(1), offset: word(2))
    return head.checksum(in: file) == word(3) ? head : nil
  }

  /// The body of the frame at an offset of a file's bytes, if the frame is whole and is
  /// where it was written or may have been moved.
  static func body(
    at place: Int, of bytes: UnsafeRawBufferPointer, in file: FileHead, isMoved: Bool = false
  ) -> Range<Int>? {
    guard let head = head(at: place, of: bytes, in: file), isMoved || head.isInPlace(at: place)
    else { return nil }
    let start = place + headSize
    guard Int(head.bodySize) <= bytes.count - start else { return nil }
    let body = start..<start + Int(head.bodySize)
    return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[body])) == head.bodyChecksum
      ? body : nil
  }
}

extension StoreFile {
  /// The maximum number of bytes after the last whole frame that are read with it: an
  /// interrupted write seldom leaves more.
  static let tailSizeMax = 1 << 26

  /// The maximum size of a store's file: a segment takes a quarter of that, and the longest
  /// commit.
  static let framesSizeMax = 5 << 30

  /// The part of a file of frames that is read, and the file's size.
  struct Extent {
    var size: Int
    /// The end of the frames, if more bytes follow than the store can have written;
    /// otherwise the size.
    var end: Int

    /// Whether there are more bytes than the store can have written.
    var isTooLong: Bool { end < size }
  }

  /// Determines which part of a file of frames to read.
  ///
  /// The size that the system reports may be damaged too, so no memory is allocated for it
  /// before it is checked. Up to ``tailSizeMax`` bytes are accepted unchecked. Of a longer
  /// file, the frames are read one after another, as far as they are whole.
  func extent() throws(StoreError) -> Extent {
    let size = try size()
    guard size > Self.tailSizeMax else { return Extent(size: size, end: size) }
    guard let file = FileHead(of: try read(0..<FileHead.size)) else {
      return Extent(size: size, end: 0)
    }
    var end = FileHead.size
    while let frame = try wholeFrameSize(from: end, to: size, in: file),
      end + frame <= Self.framesSizeMax
    {
      end += frame
    }
    return Extent(size: size, end: size - end > Self.tailSizeMax ? end : size)
  }

  /// Reads the bytes of a file of frames.
  ///
  /// - Throws: ``StoreError/damaged(path:offset:reason:)`` if it has far more bytes than
  ///   its frames take.
  func readFrames() throws(StoreError) -> [UInt8] {
    let extent = try extent()
    if extent.isTooLong { throw tooLong(extent) }
    return try read(0..<extent.size)
  }

  /// The error of a file that has far more bytes than its frames take.
  func tooLong(_ extent: Extent) -> StoreError {
    .damaged(
      path: path, offset: extent.end,
      reason: "there are \(extent.size - extent.end) bytes more than it can have")
  }

  /// The bytes of the file's head; fails for anything that is no file.
  func headBytes() throws(StoreError) -> [UInt8] {
    _ = try size()
    return try read(0..<FileHead.size)
  }

  /// The bytes of the file's head and its first frame, or as many as there are.
  ///
  /// If the frame isn't whole, these are enough to detect that.
  func readFirstFrame(of size: Int) throws(StoreError) -> [UInt8] {
    let bytes = try read(0..<min(size, 1 << 16))
    guard let file = FileHead(of: bytes),
      let head = bytes.withUnsafeBytes({ Frame.head(at: FileHead.size, of: $0, in: file) })
    else { return bytes }
    let end = FileHead.size + Frame.headSize + Int(head.bodySize)
    if end <= bytes.count { return Array(bytes.prefix(end)) }
    // Don't allocate memory for a length that anybody may have written.
    if end > size { return bytes }
    if end > Self.tailSizeMax,
      try wholeFrameSize(from: FileHead.size, to: size, in: file) == nil
    {
      return bytes
    }
    return try read(0..<end)
  }

  /// The number of bytes of the frame at an offset, if it is whole.
  ///
  /// Anybody may have written its length, so the frame is read in pieces.
  func wholeFrameSize(
    from offset: Int, to size: Int, in file: FileHead
  ) throws(StoreError) -> Int? {
    let bytes = try read(offset..<offset + Frame.headSize)
    guard let head = bytes.withUnsafeBytes({ Frame.head(at: 0, of: $0, in: file) }),
      head.isInPlace(at: offset), Int(head.bodySize) <= size - offset - Frame.headSize
    else { return nil }
    let start = offset + Frame.headSize
    let end = start + Int(head.bodySize)
    return try checksum(of: start..<end) == head.bodyChecksum ? end - offset : nil
  }

  /// The checksum of a range, of which only one piece is in memory at once.
  func checksum(of range: Range<Int>) throws(StoreError) -> UInt32 {
    let pieceSize = 1 << 20
    var (checksum, place) = (0 as UInt32, range.lowerBound)
    while place < range.upperBound {
      let rest = range.upperBound - place
      // A last piece of a few bytes is joined with the one before.
      var piece = try read(place..<place + (rest < pieceSize + 4 ? rest : pieceSize))
      if piece.isEmpty { break }
      place += piece.count
      // The checksum of everything before goes into the first four bytes.
      for index in 0..<min(4, piece.count) {
        piece[index] ^= UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
      }
      checksum = piece.withUnsafeBytes { CRC32C.checksum($0) }
    }
    return checksum
  }
}

extension FileHead {
  /// The head at the beginning of a file's bytes, of any kind; `nil` if it isn't whole.
  init?(of bytes: [UInt8]) {
    guard bytes.count >= Self.size, let kind = Kind(rawValue: bytes[2]) else { return nil }
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: kind) else { return nil }
    self = head
  }
}
