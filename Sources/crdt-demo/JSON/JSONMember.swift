/// A name and its value in an object.
struct JSONMember: Sendable {
  /// The name as it reads, without escapes.
  var name: String
  var value: JSONNode
  private var nameStart: UInt32
  private var nameEnd: UInt32

  init(name: String, at range: Range<Int>, value: JSONNode) {
    self.name = name
    self.value = value
    nameStart = UInt32(clamping: range.lowerBound)
    nameEnd = UInt32(clamping: range.upperBound)
  }

  /// Where the name stands, with its quotation marks.
  var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }

  /// Where name and value stand.
  var range: Range<Int> { Int(nameStart)..<value.range.upperBound }
}
