package import CRDTKit

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
