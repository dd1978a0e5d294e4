/// A unit in which the characters of a text are counted.
package enum TextUnit: Int, CaseIterable, Sendable {
  case scalars
  case utf16
  case utf8
  /// Line feeds.
  case lines
}

/// The number of characters of a text, in each unit.
///
/// The arithmetic does not check for overflow: a text that overflows it fits in no memory.
package struct TextSize: Equatable, Sendable, BitwiseCopyable {
  package var scalars: Int
  package var utf16: Int
  package var utf8: Int
  /// The number of line feeds.
  package var lines: Int

  package init(scalars: Int, utf16: Int, utf8: Int, lines: Int) {
    self.scalars = scalars
    self.utf16 = utf16
    self.utf8 = utf8
    self.lines = lines
  }

  package static var zero: TextSize { TextSize(scalars: 0, utf16: 0, utf8: 0, lines: 0) }

  package subscript(unit: TextUnit) -> Int {
    @inline(__always)
    get {
      switch unit {
      case .scalars: scalars
      case .utf16: utf16
      case .utf8: utf8
      case .lines: lines
      }
    }
  }

  @inline(__always)
  package static func + (left: TextSize, right: TextSize) -> TextSize {
    TextSize(
      scalars: left.scalars &+ right.scalars, utf16: left.utf16 &+ right.utf16,
      utf8: left.utf8 &+ right.utf8, lines: left.lines &+ right.lines
    )
  }

  @inline(__always)
  package static func - (left: TextSize, right: TextSize) -> TextSize {
    TextSize(
      scalars: left.scalars &- right.scalars, utf16: left.utf16 &- right.utf16,
      utf8: left.utf8 &- right.utf8, lines: left.lines &- right.lines
    )
  }

  @inline(__always)
  package static func += (left: inout TextSize, right: TextSize) { left = left + right }

  @inline(__always)
  package static func -= (left: inout TextSize, right: TextSize) { left = left - right }
}

extension TextSize {
  /// The size of the scalar whose valid UTF-8 begins with a byte.
  @inline(__always)
  init(ofScalar first: UInt8) {
    let length = first.scalarLength
    self.init(scalars: 1, utf16: length == 4 ? 2 : 1, utf8: length, lines: first == 0x0A ? 1 : 0)
  }

  /// Counts valid UTF-8.
  init(of text: UnsafeBufferPointer<UInt8>) {
    self = .zero
    utf8 = text.count
    var place = 0
    while place < text.count {
      // As many bytes as can be counted in one byte, which the compiler makes vectors of.
      let end = min(place &+ 255, text.count)
      var (first, long, feed): (UInt8, UInt8, UInt8) = (0, 0, 0)
      while place < end {
        let byte = text[place]
        first &+= byte & 0xC0 != 0x80 ? 1 : 0
        long &+= byte >= 0xF0 ? 1 : 0
        feed &+= byte == 0x0A ? 1 : 0
        place &+= 1
      }
      scalars &+= Int(first)
      utf16 &+= Int(long)
      lines &+= Int(feed)
    }
    utf16 &+= scalars
  }
}
