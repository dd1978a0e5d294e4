/// A place in a text, as people count.
struct JSONPlace: Equatable {
  /// The line, from 1; it ends with a line feed, a carriage return, or both.
  private(set) var line = 1
  /// The place in the line, from 1, counted in Unicode's scalars.
  private(set) var column = 1
  private var previous: UInt8 = 0

  /// Goes on by some bytes.
  mutating func pass(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      if byte == 0x0A || byte == 0x0D {
        if byte == 0x0D || previous != 0x0D { line += 1 }
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      previous = byte
    }
  }
}
