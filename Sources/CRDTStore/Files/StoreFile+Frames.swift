import CRDTKit

extension StoreFile {
  /// How many bytes may follow the last whole frame and be read with it: what a write may
  /// leave that was cut short is seldom longer.
  static let tailSizeMax = 1 << 26

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
  /// Of a longer file the heads of the frames are read, each of which says where the next is.
  func extent() throws(StoreError) -> Extent {
    let size = try size()
    guard size > Self.tailSizeMax else { return Extent(size: size, end: size) }
    guard let file = FileHead(of: try read(0..<FileHead.size)) else {
      return Extent(size: size, end: 0)
    }
    var end = FileHead.size
    while let frames = try framesSize(from: end, in: file) { end = min(end + frames, size) }
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

  /// How many bytes the frames take whose heads are in a stretch from an offset on; `nil`
  /// where no head is there.
  private func framesSize(from offset: Int, in file: FileHead) throws(StoreError) -> Int? {
    let bytes = try read(offset..<offset + 1 << 16)
    let size = bytes.withUnsafeBytes { bytes in
      var size = 0
      while let head = Frame.head(at: size, of: bytes, in: file), head.isInPlace(at: offset + size)
      {
        size += Frame.headSize + Int(head.bodySize)
      }
      return size
    }
    return size > 0 ? size : nil
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

  /// How many bytes the head and the first frame take, if both heads are whole: a length that
  /// may be damaged is nothing to make room for.
  static func checkedFrameSize(of bytes: [UInt8]) -> Int? {
    guard let file = FileHead(of: bytes) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      Frame.head(at: size, of: bytes, in: file).map { size + Frame.headSize + Int($0.bodySize) }
    }
  }
}
