/// Reads JSON from bytes, from first to last.
package struct JSONParser {
  package let bytes: [UInt8]
  package var place = 0
  private let allowsMark: Bool
  private var depth = 0

  package init(_ bytes: [UInt8], allowsMark: Bool = false) {
    self.bytes = bytes
    self.allowsMark = allowsMark
  }

  /// The one value that the bytes hold.
  package mutating func parse() throws(JSONFailure) -> JSONNode {
    guard bytes.count <= JSONText.sizeMax else {
      throw failure("the text is larger than \(JSONText.sizeMax >> 20) MiB")
    }
    if bytes.starts(with: JSONText.mark) {
      guard allowsMark else { throw failure("JSON doesn't begin with a byte order mark") }
      place = JSONText.mark.count
    }
    if let bad = Self.placeOfInvalidUTF8(in: bytes) {
      throw failure("this is not UTF-8", at: bad)
    }
    let root = try value()
    skipSpace()
    if place < bytes.count { throw failure("\(found) after the end of the value") }
    return root
  }

  private mutating func value() throws(JSONFailure) -> JSONNode {
    skipSpace()
    let start = place
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""):
      try skipString()
      return JSONNode(start..<place, .string)
    case UInt8(ascii: "-"),
      _ where isAtDigit:
      try skipNumber()
      return JSONNode(start..<place, .number)
    default:
      for (word, content) in Self.words where bytes[start...].starts(with: word.utf8) {
        place += word.utf8.count
        return JSONNode(start..<place, content)
      }
      throw failure("expected a value, not \(found)")
    }
  }

  private static let words: [(String, JSONNode.Content)] = [
    ("null", .null), ("true", .bool(true)), ("false", .bool(false)),
  ]

  private mutating func array() throws(JSONFailure) -> JSONNode {
    let start = place
    var elements: [JSONNode] = []
    try enter()
    var isFirst = true
    while try !ends(with: "]", isFirst: isFirst, in: "the array") {
      elements.append(try value())
      isFirst = false
    }
    depth -= 1
    return JSONNode(start..<place, .array(elements))
  }

  private mutating func object() throws(JSONFailure) -> JSONNode {
    let start = place
    var members: [JSONMember] = []
    var names: Set<JSONName> = []
    try enter()
    while try !ends(with: "}", isFirst: members.isEmpty, in: "the object") {
      let name = try name()
      guard names.insert(JSONName(text: name.text)).inserted else {
        throw failure("the name \(shown(name.range)) occurs twice", at: name.range.lowerBound)
      }
      members.append(JSONMember(name: name.text, at: name.range, value: try value()))
    }
    depth -= 1
    return JSONNode(start..<place, .object(members))
  }

  /// A member's name, and the colon after it.
  private mutating func name() throws(JSONFailure) -> (text: String, range: Range<Int>) {
    skipSpace()
    let start = place
    guard next == UInt8(ascii: "\"") else {
      throw failure("expected a member's name in quotation marks, not \(found)")
    }
    try skipString()
    let range = start..<place
    let text = Self.unescaped(bytes[range])
    guard text.utf8.count <= JSONText.maximumNameLength || text.utf8.allSatisfy({ $0 < 0x80 })
    else {
      throw failure(
        "a name beyond ASCII is longer than \(JSONText.maximumNameLength) bytes", at: start)
    }
    skipSpace()
    guard next == UInt8(ascii: ":") else { throw failure("expected ':', not \(found)") }
    place += 1
    return (text, range)
  }

  /// Takes an opening bracket.
  private mutating func enter() throws(JSONFailure) {
    guard depth < JSONText.maximumDepth else {
      throw failure("more than \(JSONText.maximumDepth) arrays and objects stand in one another")
    }
    depth += 1
    place += 1
  }

  /// Takes the closing bracket, or else the comma before the next item.
  private mutating func ends(
    with bracket: Character, isFirst: Bool, in container: String
  ) throws(JSONFailure) -> Bool {
    skipSpace()
    if let next, next == bracket.asciiValue {
      place += 1
      return true
    }
    if isFirst { return false }
    guard next == UInt8(ascii: ",") else {
      throw failure("expected ',' or '\(bracket)' in \(container), not \(found)")
    }
    place += 1
    skipSpace()
    if let next, next == bracket.asciiValue {
      throw failure("a comma stands before '\(bracket)'")
    }
    return false
  }

  private mutating func skipSpace() {
    while let next, next == 0x20 || next == 0x0A || next == 0x09 || next == 0x0D { place += 1 }
  }
}

extension JSONParser {
  /// The next byte, if any is left.
  package var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// What stands at this place, for people.
  package var found: String {
    guard let next else { return "the end of the text" }
    if next < 0x20 || next == 0x7F { return "the control character \(next)" }
    let scalar = String(decoding: bytes[place...].prefix(4), as: UTF8.self).unicodeScalars.first
    return scalar.map { "'\($0)'" } ?? "byte \(next)"
  }

  /// What stands in a range, cut short.
  private func shown(_ range: Range<Int>) -> String {
    let text = String(decoding: bytes[range].prefix(64), as: UTF8.self)
    return range.count > 64 ? text + "…" : text
  }

  package func failure(_ reason: String, at place: Int? = nil) -> JSONFailure {
    JSONFailure(reason, at: place ?? self.place, in: bytes)
  }
}
