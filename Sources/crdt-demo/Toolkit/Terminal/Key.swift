/// A key of a terminal, or a part of a pasted text.
package enum Key: Hashable, Sendable {
  /// Typed characters.
  case text(String)
  /// A part of a text that is pasted, with line feeds at the ends of its lines.
  case paste(String)
  /// A letter that is pressed with the control key.
  case control(Character)
  case enter, tab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
}

extension Key {
  /// The key whose escape sequence ends in a letter: `ESC [ A`.
  init?(letter: UInt8) {
    switch letter {
    case UInt8(ascii: "A"): self = .up
    case UInt8(ascii: "B"): self = .down
    case UInt8(ascii: "C"): self = .right
    case UInt8(ascii: "D"): self = .left
    case UInt8(ascii: "H"): self = .home
    case UInt8(ascii: "F"): self = .end
    default: return nil
    }
  }

  /// The key whose escape sequence has a number: `ESC [ 3 ~`.
  init?(number: Int) {
    switch number {
    case 1, 7: self = .home
    case 4, 8: self = .end
    case 3: self = .delete
    case 5: self = .pageUp
    case 6: self = .pageDown
    default: return nil
    }
  }

  /// The key of a control character; `nil` for one that no key is known to send.
  init?(control byte: UInt8) {
    switch byte {
    case 0x09: self = .tab
    case 0x0A, 0x0D: self = .enter
    case 0x08, 0x7F: self = .backspace
    case 0x01...0x1A: self = .control(Character(Unicode.Scalar(byte | 0x60)))
    default: return nil
    }
  }
}
