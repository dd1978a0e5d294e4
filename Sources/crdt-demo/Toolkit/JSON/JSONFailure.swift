/// An error in a JSON text, or an unsupported one.
package struct JSONFailure: Error, Equatable {
  /// The line, from 1; it ends with a line feed, a carriage return, or both.
  package var line: Int
  /// The place in the line, from 1, counted in Unicode's scalars.
  package var column: Int
  /// The error there.
  package var reason: String

  package init(line: Int, column: Int, reason: String) {
    self.line = line
    self.column = column
    self.reason = reason
  }

  /// A failure at a place among the bytes.
  package init(_ reason: String, at place: Int, in bytes: [UInt8]) {
    var position = JSONPlace()
    position.pass(bytes[..<min(place, bytes.count)])
    self.init(line: position.line, column: position.column, reason: reason)
  }
}

extension JSONFailure: CustomStringConvertible {
  package var description: String { "\(line):\(column): \(reason)" }
}

/// A place in a text, as people count.
package struct JSONPlace: Equatable {
  /// The line, from 1; it ends with a line feed, a carriage return, or both.
  package private(set) var line = 1
  /// The place in the line, from 1, counted in Unicode's scalars.
  package private(set) var column = 1
  private var previous: UInt8 = 0

  package init() {}

  /// Goes on by some bytes.
  package mutating func pass(_ bytes: ArraySlice<UInt8>) {
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
