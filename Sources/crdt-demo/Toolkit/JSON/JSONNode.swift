/// A value and its position in a text.
///
/// It holds positions instead of copies: an element as short as `1,` costs 24 bytes.
package struct JSONNode: Sendable {
  package enum Content: Sendable {
    case null
    case bool(Bool)
    case number
    case string
    case array([JSONNode])
    case object([JSONMember])
  }

  private var start: UInt32
  private var end: UInt32
  package var content: Content

  package init(_ range: Range<Int>, _ content: Content) {
    start = UInt32(clamping: range.lowerBound)
    end = UInt32(clamping: range.upperBound)
    self.content = content
  }

  /// Where it stands among the bytes, brackets and quotation marks included.
  package var range: Range<Int> { Int(start)..<Int(end) }

  /// The members of an object.
  package var members: [JSONMember]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// The elements of an array.
  package var elements: [JSONNode]? {
    if case .array(let elements) = content { elements } else { nil }
  }
}

/// A name and its value in an object.
package struct JSONMember: Sendable {
  /// The name as it reads, without escapes.
  package var name: String
  package var value: JSONNode
  private var nameStart: UInt32
  private var nameEnd: UInt32

  package init(name: String, at range: Range<Int>, value: JSONNode) {
    self.name = name
    self.value = value
    nameStart = UInt32(clamping: range.lowerBound)
    nameEnd = UInt32(clamping: range.upperBound)
  }

  /// Where the name stands, with its quotation marks.
  package var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }

  /// Where name and value stand.
  package var range: Range<Int> { Int(nameStart)..<value.range.upperBound }
}

/// A name by its bytes: to JSON, two spellings of one text are two names.
package struct JSONName: Hashable {
  package var text: String

  package init(text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(text.utf8.count)
  }
}
