#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The bytes of a file, shared by all images in which they are equal.
final class FileBytes: Sendable {
  static let empty = FileBytes([])

  let bytes: [UInt8]
  /// A hash of the bytes, the same for equal bytes in one process.
  let fingerprint: UInt64

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    fingerprint = UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

// Loops over bytes take ten times as long in a debug build as the C library's calls.
extension [UInt8] {
  /// Creates an array of zeros.
  init(zeros count: Int) {
    self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
      if let start = buffer.baseAddress { memset(start, 0, count) }
      initialized = count
    }
  }

  /// Creates an array of a buffer's bytes.
  init(copying bytes: UnsafeRawBufferPointer) {
    self.init(unsafeUninitializedCapacity: bytes.count) { buffer, initialized in
      if let start = buffer.baseAddress, let source = bytes.baseAddress {
        memcpy(start, source, bytes.count)
      }
      initialized = bytes.count
    }
  }

  /// The bytes cut, or filled up with zeros, to a size.
  func resized(to size: Int) -> [UInt8] {
    if size == count { return self }
    var resized = [UInt8](zeros: size)
    withUnsafeBytes { resized.overwrite(UnsafeRawBufferPointer(rebasing: $0.prefix(size)), at: 0) }
    return resized
  }

  /// Overwrites existing bytes at an offset.
  mutating func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    precondition(offset + bytes.count <= count)
    withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress, let source = bytes.baseAddress {
        memcpy(start + offset, source, bytes.count)
      }
    }
  }

  /// Overwrites the bytes in a range with zeros.
  mutating func clear(_ range: Range<Int>) {
    precondition(range.upperBound <= count)
    withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { memset(start + range.lowerBound, 0, range.count) }
    }
  }

  /// Whether the bytes are the same as others.
  func holds(_ other: [UInt8]) -> Bool {
    count == other.count
      && withUnsafeBytes { mine in
        other.withUnsafeBytes { others in
          guard let start = mine.baseAddress, let otherStart = others.baseAddress else {
            return true
          }
          return memcmp(start, otherStart, mine.count) == 0
        }
      }
  }
}

/// A change of a file's bytes or size.
enum FileChange: Sendable {
  case write(offset: Int, bytes: [UInt8])
  case truncate(size: Int)
}

/// The bytes of a file while changes are made to it.
struct FileDraft {
  // As large as the file may become, with zeros after the size.
  private var bytes: [UInt8]
  private var size: Int

  init(_ start: [UInt8], sizeMax: Int) {
    bytes = start.resized(to: sizeMax)
    size = start.count
  }

  func finish() -> [UInt8] {
    bytes.resized(to: size)
  }

  mutating func apply(_ change: FileChange) {
    switch change {
    case .write(let offset, let bytes): write(bytes, 0..<bytes.count, at: offset)
    case .truncate(let newSize):
      if newSize < size { bytes.clear(newSize..<size) }
      size = newSize
    }
  }

  /// Applies a part of a write that begins at an offset.
  mutating func write(_ source: [UInt8], _ range: Range<Int>, at offset: Int) {
    source.withUnsafeBytes {
      bytes.overwrite(UnsafeRawBufferPointer(rebasing: $0[range]), at: offset + range.lowerBound)
    }
    if !range.isEmpty { extend(to: offset + range.upperBound) }
  }

  mutating func extend(to newSize: Int) {
    size = max(size, newSize)
  }
}
