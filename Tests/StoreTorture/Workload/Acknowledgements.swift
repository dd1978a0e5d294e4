/// The numbers of the commits that were acknowledged, eight bytes each, in a file
/// that only grows, or a pipe.
struct Acknowledgements: Sendable {
  private let descriptor: Int32

  /// Writes to a path, or to a descriptor if a number is given.
  init(_ target: String) throws(System.Failure) {
    if let number = Int32(target) {
      descriptor = number
    } else {
      descriptor = try Files.openForAppending(target)
    }
  }

  /// Notes a commit: when this returns, the kernel has it.
  func note(_ number: UInt64) throws(System.Failure) {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    try Files.append(bytes, to: descriptor)
  }

  /// The highest number that was noted at a path; 0 if none.
  ///
  /// Those noted at the same time by several threads may stand in any order, which
  /// is why it isn't always the last one.
  static func latest(at path: String) throws(System.Failure) -> UInt64 {
    let bytes = try Files.tail(of: path, max: 8 << 10)
    var latest: UInt64 = 0
    for start in stride(from: 0, to: bytes.count - bytes.count % 8, by: 8) {
      var number: UInt64 = 0
      for byte in bytes[start..<start + 8].reversed() { number = number << 8 | UInt64(byte) }
      latest = max(latest, number)
    }
    return latest
  }
}
