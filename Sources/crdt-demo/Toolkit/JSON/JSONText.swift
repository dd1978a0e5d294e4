/// A JSON text as it was written: its bytes, and where in them each value stands.
///
/// What is not changed can be written again byte for byte: the order of members,
/// white space, and the spelling of numbers and strings.
package struct JSONText: Sendable {
  package let bytes: [UInt8]
  package let root: JSONNode

  /// The greatest text that is read, in bytes: places are numbers of 32 bits.
  package static let sizeMax = Int(UInt32.max)
  /// The byte order mark that some editors put before a text.
  package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// The greatest nesting depth of arrays and objects.
  package static let depthMax = 128
  /// The longest name of a member, in bytes, unless it is ASCII: comparing texts as
  /// Swift does takes time quadratic in the accents on one letter.
  package static let nameLengthMax = 1_024

  /// Reads a text: RFC 8259, without names that occur twice in one object, byte
  /// order marks unless they are allowed, and escapes for half a pair of surrogates.
  package init(parsing bytes: [UInt8], allowsMark: Bool = false) throws(JSONFailure) {
    var parser = JSONParser(bytes, allowsMark: allowsMark)
    root = try parser.parse()
    self.bytes = bytes
  }

  /// The byte order mark before the text, if there is one.
  package var mark: ArraySlice<UInt8> {
    bytes.starts(with: Self.mark) ? bytes.prefix(Self.mark.count) : []
  }

  /// What stands before the root, but for a byte order mark.
  package var lead: ArraySlice<UInt8> { bytes[mark.count..<root.range.lowerBound] }

  /// The bytes of a value, as they are written.
  package func bytes(of node: JSONNode) -> ArraySlice<UInt8> { bytes[node.range] }

  /// The unescaped text of a string.
  package func string(of node: JSONNode) -> String { JSONParser.unescaped(bytes[node.range]) }

  /// A failure at a value of this text.
  package func failure(_ reason: String, at range: Range<Int>) -> JSONFailure {
    JSONFailure(reason, at: range.lowerBound, in: bytes)
  }
}
