import CRDTKit

/// A character as a terminal shows it, and how many columns that takes.
///
/// The width is approximate: terminals don't agree on that of some emoji.
package struct ShownCharacter: Hashable, Sendable {
  package let text: String
  package let columns: Int

  private static let tabWidth = 8

  /// Creates the form of a character that begins at a column.
  ///
  /// Tabs are spaces. Control characters and what is invisible are written out, so that
  /// nothing in a text acts on the terminal.
  package init(_ character: Character, at column: Int) {
    let string = String(character)
    guard let first = string.unicodeScalars.first else {
      (text, columns) = ("", 0)
      return
    }
    if character == "\t" {
      columns = Self.tabWidth - column % Self.tabWidth
      text = String(repeating: " ", count: columns)
    } else if first.value < 0x20 || first.value == 0x7F, string.unicodeScalars.count == 1 {
      text = "^\(Character(Unicode.Scalar(UInt8(first.value ^ 0x40))))"
      columns = 2
    } else if string.hasHidden {
      text = string.visible
      columns = text.unicodeScalars.reduce(0) { $0 + $1.columns }
    } else if first.isCombining {
      // It has no character to stand on.
      text = "\u{25CC}" + string
      columns = 1
    } else {
      text = string
      columns = string.unicodeScalars.contains { $0 == "\u{FE0F}" } ? 2 : first.columns
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is drawn over the character before it.
  fileprivate var isCombining: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  /// How many columns it takes: two if it is an emoji, or wide in East Asian scripts.
  fileprivate var columns: Int {
    if value < 0x1100 { return isCombining ? 0 : 1 }
    if isCombining { return 0 }
    return properties.isEmojiPresentation || isWide ? 2 : 1
  }

  private var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
