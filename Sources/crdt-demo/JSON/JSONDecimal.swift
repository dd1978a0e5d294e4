/// A decimal number of any length: digits without needless zeros, and the power of
/// ten that they count.
struct JSONDecimal: Equatable {
  private(set) var isNegative: Bool
  private(set) var digits: [UInt8]
  private(set) var exponent: Int

  /// The number of a literal; `nil` where its power of ten is beyond an `Int`.
  init?(_ literal: String) {
    let parts = literal.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
    }
    guard let first = parts.first else { return nil }
    isNegative = first.first == UInt8(ascii: "-")
    let point = UInt8(ascii: ".")
    let mantissa = first.drop { $0 == UInt8(ascii: "-") }
    digits = mantissa.filter { $0 != point }
    let decimals = mantissa.firstIndex(of: point).map {
      mantissa.distance(from: $0, to: mantissa.endIndex) - 1
    }
    let zero = UInt8(ascii: "0")
    let trailing = digits.reversed().prefix { $0 == zero }.count
    digits = Array(digits.dropLast(trailing).drop { $0 == zero })
    exponent = 0
    if digits.isEmpty { return }
    if parts.count > 1 {
      guard let written = Int(Substring(parts[1])) else { return nil }
      exponent = written
    }
    let shift = exponent.addingReportingOverflow(trailing - (decimals ?? 0))
    if shift.overflow { return nil }
    exponent = shift.partialValue
  }
}

extension JSONDecimal: CustomStringConvertible {
  /// The number as JSON: without a power of ten where that isn't much longer.
  var description: String {
    let sign = isNegative ? "-" : ""
    let text = String(decoding: digits, as: UTF8.self)
    if digits.isEmpty { return sign + "0" }
    if (0...30).contains(exponent) { return sign + text + String(repeating: "0", count: exponent) }
    if exponent < 0, exponent >= -30 - digits.count {
      let whole = max(digits.count + exponent, 0)
      let zeros = String(repeating: "0", count: max(-exponent - digits.count, 0))
      return sign + (whole > 0 ? text.prefix(whole) : "0") + "." + zeros + text.dropFirst(whole)
    }
    return "\(sign)\(text)e\(exponent)"
  }
}
