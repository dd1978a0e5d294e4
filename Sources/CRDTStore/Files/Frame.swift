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
