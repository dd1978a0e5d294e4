extension JSONParser {
  /// Parses a number.
  package mutating func skipNumber() throws(JSONFailure) {
    if next == UInt8(ascii: "-") { place += 1 }
    if next == UInt8(ascii: "0") {
      place += 1
      if isAtDigit { throw failure("a number begins with a needless 0") }
    } else {
      try skipDigits()
    }
    if next == UInt8(ascii: ".") {
      place += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(JSONFailure) {
    guard isAtDigit else { throw failure("expected a digit, not \(found)") }
    while isAtDigit { place += 1 }
  }

  /// Whether the next byte is a digit.
  package var isAtDigit: Bool {
    next.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ?? false
  }

  /// Parses a string with its quotation marks.
  package mutating func skipString() throws(JSONFailure) {
    let start = place
    place += 1
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        place += 1
        return
      case UInt8(ascii: "\\"): try skipEscape()
      case 0..<0x20: throw failure("\(found) must be escaped in a string")
      default: place += 1
      }
    }
    throw failure("the string doesn't end", at: start)
  }

  private mutating func skipEscape() throws(JSONFailure) {
    let start = place
    place += 1
    guard let letter = next, Self.escapes[letter] != nil || letter == UInt8(ascii: "u") else {
      throw failure("a backslash stands before \(found)")
    }
    place += 1
    guard letter == UInt8(ascii: "u") else { return }
    let unit = try skipUnit()
    guard UTF16.isSurrogate(unit) else { return }
    guard UTF16.isLeadSurrogate(unit), bytes[place...].starts(with: "\\u".utf8) else {
      throw failure("the escape is half of a pair of surrogates", at: start)
    }
    place += 2
    guard UTF16.isTrailSurrogate(try skipUnit()) else {
      throw failure("the escape is half of a pair of surrogates", at: start)
    }
  }

  /// Parses four hexadecimal digits.
  private mutating func skipUnit() throws(JSONFailure) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let next, let digit = Self.hexadecimal(next) else {
        throw failure("expected a hexadecimal digit, not \(found)")
      }
      unit = unit << 4 | digit
      place += 1
    }
    return unit
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]

  /// The unescaped text of a parsed string.
  package static func unescaped(_ literal: ArraySlice<UInt8>) -> String {
    var rest = literal.dropFirst().dropLast()
    guard rest.contains(UInt8(ascii: "\\")) else { return String(decoding: rest, as: UTF8.self) }
    var text: [UInt8] = []
    var units: [UInt16] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        text.append(byte)
        continue
      }
      if let plain = escapes[letter] {
        text.append(plain)
        continue
      }
      units.append(rest.prefix(4).reduce(0) { $0 << 4 | (hexadecimal($1) ?? 0) })
      rest = rest.dropFirst(4)
      if units.count == 1, UTF16.isLeadSurrogate(units[0]) { continue }
      text += String(decoding: units, as: UTF16.self).utf8
      units = []
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The position of the first invalid UTF-8.
  package static func placeOfInvalidUTF8(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var place = 0
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar): place += scalar.count
      case .error, .emptyInput: return place
      }
    }
  }
}
