import CRDTKit

/// A stretch of a file that is whole or isn't: twelve bytes of head, and a body.
///
/// The head holds the body's length, its checksum, and a checksum of these two
/// bound to the file and the place in it. So a frame at another place than it was
/// written at, or in another file, is not taken for one; and where a head is right
/// but the body isn't, writing had begun there.
enum Frame {
  static let headSize = 12
  /// What the length of a body takes at most: four bytes.
  static let bodySizeMax = Int(UInt32.max)

  /// What stands in a frame's head.
  struct Head {
    var bodySize: Int
    var bodyChecksum: UInt32
  }

  /// Writes a frame with what follows in the writer from `start` on as its body;
  /// the twelve bytes before are there and are filled in.
  static func head(
    of body: UnsafeRawBufferPointer, at offset: Int, in file: FileHead
  ) -> (size: UInt32, bodyChecksum: UInt32, checksum: UInt32) {
    let size = UInt32(truncatingIfNeeded: body.count)
    let bodyChecksum = CRC32C.checksum(body)
    return (
      size, bodyChecksum,
      checksum(size: size, bodyChecksum: bodyChecksum, at: offset, in: file)
    )
  }

  /// Writes a whole frame.
  static func write(
    _ body: UnsafeRawBufferPointer, at offset: Int, in file: FileHead, to writer: inout ByteWriter
  ) {
    let head = head(of: body, at: offset, in: file)
    writer.write(fixed: head.size)
    writer.write(fixed: head.bodyChecksum)
    writer.write(fixed: head.checksum)
    writer.write(body)
  }

  /// The head at an offset of a file's bytes, if there is one.
  static func head(
    at offset: Int, of bytes: UnsafeRawBufferPointer, in file: FileHead
  ) -> Head? {
    guard offset >= 0, offset <= bytes.count - headSize else { return nil }
    func word(_ place: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: UInt32.self))
    }
    let (size, bodyChecksum) = (word(0), word(4))
    guard checksum(size: size, bodyChecksum: bodyChecksum, at: offset, in: file) == word(8) else {
      return nil
    }
    return Head(bodySize: Int(size), bodyChecksum: bodyChecksum)
  }

  /// The body of the frame at an offset of a file's bytes, if the frame is whole.
  static func body(
    at offset: Int, of bytes: UnsafeRawBufferPointer, in file: FileHead
  ) -> Range<Int>? {
    guard let head = head(at: offset, of: bytes, in: file) else { return nil }
    let start = offset + headSize
    guard head.bodySize <= bytes.count - start else { return nil }
    let body = start..<start + head.bodySize
    return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[body])) == head.bodyChecksum
      ? body : nil
  }

  private static func checksum(
    size: UInt32, bodyChecksum: UInt32, at offset: Int, in file: FileHead
  ) -> UInt32 {
    let words = (
      file.store.littleEndian, file.number.littleEndian,
      (UInt64(offset) << 8 | UInt64(file.kind.rawValue)).littleEndian,
      (UInt64(bodyChecksum) << 32 | UInt64(size)).littleEndian
    )
    return withUnsafeBytes(of: words) { CRC32C.checksum($0) }
  }
}
