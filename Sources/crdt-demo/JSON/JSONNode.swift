/// A value where it stands in a text.
///
/// It holds places rather than copies: an element as short as `1,` costs 24 bytes.
struct JSONNode: Sendable {
  enum Content: Sendable {
    case null
    case bool(Bool)
    case number
    case string
    case array([JSONNode])
    case object([JSONMember])
  }

  private var start: UInt32
  private var end: UInt32
  var content: Content

  init(_ range: Range<Int>, _ content: Content) {
    start = UInt32(clamping: range.lowerBound)
    end = UInt32(clamping: range.upperBound)
    self.content = content
  }

  /// Where it stands among the bytes, brackets and quotation marks included.
  var range: Range<Int> { Int(start)..<Int(end) }

  /// The members of an object.
  var members: [JSONMember]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// The elements of an array.
  var elements: [JSONNode]? {
    if case .array(let elements) = content { elements } else { nil }
  }
}
