package import CRDTKit

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
  package static let maximumDepth = 128
  /// The longest name of a member, in bytes, unless it is ASCII: comparing texts as
  /// Swift does takes time quadratic in the accents on one letter.
  package static let maximumNameLength = 1_024

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

extension JSONText {
  /// How to convert numbers that neither `Int64` nor `Double` can represent exactly.
  package enum Numbers {
    /// As a `Double`. A number that would become another one is a failure: one beyond all of
    /// them, a whole number beyond `Int64`, one that would be 0, and one whose digits a
    /// `Double` doesn't hold.
    case nearest
    /// As bytes, their digits in one spelling: equal only to numbers of the same
    /// worth. JSON has no bytes, so nothing else is taken for such a number.
    case exact
  }

  /// What the text holds, its objects as they are.
  ///
  /// Names that Swift takes for equal (`é` composed or not) can't be told apart in
  /// a value: two of them in one object are a failure.
  package func value(numbers: Numbers) throws(JSONFailure) -> Document.Value {
    try value(of: root, numbers)
  }

  /// What the text holds; objects that stand for what JSON has not are that, as
  /// ``Document/Value/untagged`` says.
  package func documentValue() throws(JSONFailure) -> Document.Value {
    try value(numbers: .nearest).untagged
  }

  /// The value that JSON stands for; a failure says what was read.
  package static func documentValue(
    of bytes: [UInt8], _ what: String = ""
  ) throws(CommandFailure) -> Document.Value {
    do throws(JSONFailure) { return try JSONText(parsing: bytes).documentValue() } catch {
      throw CommandFailure("\(what)\(error)")
    }
  }

  private func value(
    of node: JSONNode, _ numbers: Numbers
  ) throws(JSONFailure) -> Document.Value {
    switch node.content {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .string: return .string(string(of: node))
    case .number: return try number(at: node.range, numbers)
    case .array(let elements):
      var values: [Document.Value] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try value(of: element, numbers)) }
      return .array(values)
    case .object(let members):
      var fields: [String: Document.Value] = [:]
      for member in members {
        let value = try value(of: member.value, numbers)
        if fields.updateValue(value, forKey: member.name) != nil {
          throw failure(
            "another name in the object is the same text in another spelling",
            at: member.nameRange)
        }
      }
      return .object(fields)
    }
  }

  private func number(
    at range: Range<Int>, _ numbers: Numbers
  ) throws(JSONFailure) -> Document.Value {
    let number = JSONNumber(bytes[range])
    if let integer = number.integer { return .int(integer) }
    switch numbers {
    case .exact:
      return number.exactDouble.map { .double($0) } ?? .bytes(Array(number.canonical.utf8))
    case .nearest:
      guard !number.isWhole || number.isZero else {
        throw failure(
          "the whole number is beyond what Int64 holds: write it as a text, or with a point",
          at: range)
      }
      guard let nearest = number.nearest else {
        throw failure("the number is beyond what a Double holds", at: range)
      }
      guard nearest != 0 || number.isZero else {
        throw failure("the number is so close to 0 that a Double can't hold it", at: range)
      }
      guard let held = number.heldDouble else {
        throw failure(
          "the number has more digits than a Double holds (\(nearest)): write it as a text",
          at: range)
      }
      return .double(held)
    }
  }
}
