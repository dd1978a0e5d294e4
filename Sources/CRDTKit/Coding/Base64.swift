/// Base64 text: three bytes as four letters (RFC 4648, section 4).
package enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// Returns the Base64 text of the bytes, padded to a multiple of four letters.
  ///
  /// - Complexity: O(`bytes.count`).
  package static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for place in 0..<3 {
        group = group << 8 | (place < count ? UInt32(bytes[start + place]) : 0)
      }
      for place in 0..<4 {
        let letter = Int(group >> (18 - 6 * UInt32(place)) & 63)
        text.append(place <= count ? letters[letter] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text; `nil` unless ``text(of:)`` returns exactly this text
  /// for them.
  ///
  /// - Complexity: O(length of the text).
  package static func bytes(of text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    for start in stride(from: 0, to: text.count, by: 4) {
      var letters = text[start..<start + 4]
      if start + 4 == text.count {
        while letters.count > 2, letters.last == padding { letters.removeLast() }
      }
      var group: UInt32 = 0
      for letter in letters {
        guard let value = value(of: letter) else { return nil }
        group = group << 6 | UInt32(value)
      }
      let spare = UInt32(4 - letters.count)
      group <<= 6 * spare
      // The unused bits must be zero; otherwise two texts would stand for the same bytes.
      guard group & (1 << (8 * spare) - 1) == 0 else { return nil }
      for place in 0..<letters.count - 1 {
        bytes.append(UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(place))))
      }
    }
    return bytes
  }

  private static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
