/// A number as it is written in a text, and what can hold it.
struct JSONNumber {
  /// The number as written.
  let literal: String

  init(_ literal: ArraySlice<UInt8>) {
    self.literal = String(decoding: literal, as: UTF8.self)
  }

  /// The number, if it is written as a whole one and `Int64` holds it.
  var integer: Int64? {
    // Int64 has no negative zero.
    literal == "-0" ? nil : Int64(literal)
  }

  /// Whether it is written without decimals and power of ten.
  var isWhole: Bool { literal.utf8.allSatisfy { $0 < 0x3A && $0 != UInt8(ascii: ".") } }

  /// Whether it is 0, however that is written.
  var isZero: Bool { JSONDecimal(literal)?.digits.isEmpty ?? false }

  /// The nearest binary number, if it is not beyond them all.
  var nearest: Double? {
    Double(literal).flatMap { $0.isFinite ? $0 : nil }
  }

  /// The number, if a binary one stands for just these digits, as 0.1 does.
  var exactDouble: Double? {
    let decimal = JSONDecimal(literal)
    // No binary number needs more to be told from its neighbours.
    guard let decimal, decimal.digits.count <= 17, let nearest,
      JSONDecimal(String(nearest)) == decimal
    else { return nil }
    return nearest
  }

  /// The number in the one spelling that all of the same worth share.
  var canonical: String { JSONDecimal(literal)?.description ?? literal }
}
