import CRDTKit

/// A stretch of a file that is whole or isn't: sixteen bytes of head, and a body.
///
/// The head holds the body's size, its checksum, the frame's offset, and a checksum
/// of these bound to the file. So a frame at another place than it was written at,
/// or in another file, is not taken for one; where a head is right but the body
/// isn't, writing had begun there; and a head that stands elsewhere than it says
/// shows that bytes were lost or put in.
enum Frame {
  static let headSize = 16
  /// How many bytes a body has at most: its size takes four.
  static let bodySizeMax = Int(UInt32.max)

  /// What stands in a frame's head.
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

    /// Whether the frame stands where it was written.
    func isInPlace(at offset: Int) -> Bool {
      self.offset == UInt32(truncatingIfNeeded: offset)
    }
  }
}

extension Frame {
  /// Fills in the head of a frame whose body follows the room for it.
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

  /// The head at a place of a file's bytes, if there is one, wherever it was written.
  static func head(at place: Int, of bytes: UnsafeRawBufferPointer, in file: FileHead) -> Head? {
    guard place >= 0, place <= bytes.count - headSize else { return nil }
    func word(_ number: Int) -> UInt32 {
      let offset = place + 4 * number
      return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let head = Head(bodySize: word(0), bodyChecksum: word(1), offset: word(2))
    return head.checksum(in: file) == word(3) ? head : nil
  }

  /// The body of the frame at a place of a file's bytes, if the frame is whole, and
  /// stands where it was written or may have been moved.
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
  /// How many bytes may follow the last whole frame and be read with it: what a write may
  /// leave that was cut short is seldom longer.
  static let tailSizeMax = 1 << 26

  /// How many bytes a store's file may have at all: a segment takes a quarter of that and the
  /// longest commit.
  static let framesSizeMax = 5 << 30

  /// How much of a file is read that consists of frames, and how much it has.
  struct Extent {
    var size: Int
    /// Where the frames end, if so many bytes follow that they can't be the store's own;
    /// else the size.
    var end: Int

    /// Whether there are more bytes than the store can have written.
    var isTooLong: Bool { end < size }
  }

  /// Finds out how much of a file of frames is worth to be read.
  ///
  /// What the system says of a file's size may be damaged as all else may, so there is no room
  /// made for it before it was looked at. Up to ``tailSizeMax`` bytes are taken as they are.
  /// Of a longer file the frames are read one after the other, as far as they are whole.
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
  /// - Throws: ``StoreError/damaged(path:offset:reason:)`` where it has far more bytes than its
  ///   frames take.
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

  /// The bytes of the file's head and its first frame, or as many as there are; enough, if the
  /// frame isn't whole, to see that.
  func readFirstFrame(of size: Int) throws(StoreError) -> [UInt8] {
    let bytes = try read(0..<min(size, 1 << 16))
    guard let file = FileHead(of: bytes),
      let head = bytes.withUnsafeBytes({ Frame.head(at: FileHead.size, of: $0, in: file) })
    else { return bytes }
    let end = FileHead.size + Frame.headSize + Int(head.bodySize)
    if end <= bytes.count { return Array(bytes.prefix(end)) }
    // A length that may be anybody's is nothing to make room for.
    if end > size { return bytes }
    if end > Self.tailSizeMax,
      try wholeFrameSize(from: FileHead.size, to: size, in: file) == nil
    {
      return bytes
    }
    return try read(0..<end)
  }

  /// How many bytes a frame takes that begins at an offset, if it is whole.
  ///
  /// Its length may be anybody's, so it is looked through piece by piece.
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

  /// The checksum of a stretch, of which no more than a piece is in memory at once.
  func checksum(of range: Range<Int>) throws(StoreError) -> UInt32 {
    let pieceSize = 1 << 20
    var (checksum, place) = (0 as UInt32, range.lowerBound)
    while place < range.upperBound {
      let rest = range.upperBound - place
      // A last piece of a few bytes goes with the one before.
      var piece = try read(place..<place + (rest < pieceSize + 4 ? rest : pieceSize))
      if piece.isEmpty { break }
      place += piece.count
      // What came before stands in a checksum's first four bytes.
      for index in 0..<min(4, piece.count) {
        piece[index] ^= UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
      }
      checksum = piece.withUnsafeBytes { CRC32C.checksum($0) }
    }
    return checksum
  }
}

extension FileHead {
  /// The head that a file's bytes begin with, of whatever kind; `nil` where it isn't whole.
  init?(of bytes: [UInt8]) {
    guard bytes.count >= Self.size, let kind = Kind(rawValue: bytes[2]) else { return nil }
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: kind) else { return nil }
    self = head
  }
}
