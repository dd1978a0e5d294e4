import CRDTKit
package import CRDTStoreTesting

/// Finds texts that a `Fingerprint` takes for one: it can be run backwards, so anybody can.
package enum ChosenCollision {
  /// A text as long as another one that begins otherwise, so that the bytes before and those of
  /// either come to the same fingerprint.
  ///
  /// The texts must have 24 bytes or more, and end alike from the last multiple of eight on.
  package static func find(
    _ text: String, beginning: String, after prefix: [UInt8] = [],
    using random: inout SeededGenerator
  ) -> String? {
    let message = prefix + Array(text.utf8)
    let end = message.count / 8 * 8
    var head = prefix + Array(beginning.utf8)
    guard end >= 24, head.count <= end - 16 else { return nil }
    head += Array(repeating: 0x20, count: end - 16 - head.count)
    let (start, goal) = (state(of: head[...]), state(of: message[..<end]))
    for _ in 0..<1_000_000 {
      let first = (0..<8).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }
      let last = bytes(of: word(from: state(of: first[...], from: start), to: goal))
      guard last.allSatisfy({ (0x20..<0x7F).contains($0) }) else { continue }
      let found = head.dropFirst(prefix.count) + first + last + message[end...]
      return String(decoding: found, as: UTF8.self)
    }
    return nil
  }

  private static func state(
    of bytes: ArraySlice<UInt8>, from start: UInt64 = Fingerprint().state
  ) -> UInt64 {
    var fingerprint = Fingerprint(start)
    var rest = bytes
    while !rest.isEmpty {
      fingerprint.combine(rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
      rest = rest.dropFirst(8)
    }
    return fingerprint.state
  }

  /// The word that leads from one state to another.
  private static func word(from start: UInt64, to end: UInt64) -> UInt64 {
    let factor: UInt64 = 0xFF51_AFD7_ED55_8CCD
    // Newton's method doubles the bits of the inverse that are right.
    var inverse = factor
    for _ in 0..<6 { inverse = inverse &* (2 &- factor &* inverse) }
    return (end >> 29 | end << 35) &* inverse ^ start
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
