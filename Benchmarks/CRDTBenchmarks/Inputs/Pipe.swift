#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe of the system, through which bytes are written and read again.
final class Pipe {
  struct Failure: Error {
    let code: Int32
  }

  private let ends: (reading: Int32, writing: Int32)

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(code: errno) }
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.reading)
    close(ends.writing)
  }

  /// Writes the bytes, as many at a time as the pipe holds, and reads them.
  func carry(_ bytes: [UInt8]) throws -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let count = min(bytes.count - start, 1 << 15)
      let written = bytes[start..<start + count].withUnsafeBytes { part in
        write(ends.writing, part.baseAddress, part.count)
      }
      guard written > 0 else { throw Failure(code: errno) }
      start += written
      var left = written
      while left > 0 {
        let part = try [UInt8](unsafeUninitializedCapacity: left) { buffer, filled in
          filled = read(ends.reading, buffer.baseAddress, left)
          if filled <= 0 {
            filled = 0
            throw Failure(code: errno)
          }
        }
        left -= part.count
        parts.append(part)
      }
    }
    return parts
  }
}
