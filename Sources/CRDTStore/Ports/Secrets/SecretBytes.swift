#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Bytes that are overwritten when nobody has them any more, and compared in a time that says
/// nothing of them.
///
/// They are written before the object is shared, and not again before nobody has it: so it is
/// safe to be read by several.
final class SecretBytes: @unchecked Sendable {
  private let room: UnsafeMutableRawBufferPointer
  private let free: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// Copies some bytes; `free` gives the room back, which is wiped then.
  init(
    _ bytes: some Collection<UInt8>,
    free: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void = { $0.deallocate() }
  ) {
    room = .allocate(byteCount: bytes.count, alignment: 1)
    room.copyBytes(from: bytes)
    self.free = free
  }

  deinit {
    if let start = room.baseAddress { Self.wipe(start, room.count) }
    free(room)
  }

  /// The bytes, as long as the body runs.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    // Nothing else would keep the object while its bytes are read.
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(room)) }
  }

  /// Whether two have the same bytes: all are looked at, wherever they differ.
  ///
  /// That they have not the same length is found out at once.
  func isEqual(to other: SecretBytes) -> Bool {
    withBytes { mine in
      other.withBytes { theirs in
        guard mine.count == theirs.count else { return false }
        var difference: UInt8 = 0
        for place in mine.indices { difference |= mine[place] ^ theirs[place] }
        return difference == 0
      }
    }
  }

  /// Overwrites memory by a call that the compiler can't leave out, though nobody reads it.
  private static func wipe(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    _ = memset_s(start, count, 0, count)
    #else
    explicit_bzero(start, count)
    #endif
  }
}
