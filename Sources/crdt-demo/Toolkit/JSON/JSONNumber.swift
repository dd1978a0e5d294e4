#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A number as written in a text, with its conversions.
package struct JSONNumber {
  /// The number as written.
  package let literal: String

  package init(_ literal: ArraySlice<UInt8>) {
    self.literal = String(decoding: literal, as: UTF8.self)
  }

  /// The number, if it is written as a whole one and `Int64` holds it.
  package var integer: Int64? {
    // Int64 has no negative zero.
    literal == "-0" ? nil : Int64(literal)
  }

  /// Whether it is written without decimals and power of ten.
  package var isWhole: Bool { literal.utf8.allSatisfy { $0 < 0x3A && $0 != UInt8(ascii: ".") } }

  /// Whether it is 0, however that is written.
  package var isZero: Bool { JSONDecimal(literal)?.digits.isEmpty ?? false }

  /// The nearest binary number, if it is not beyond them all.
  package var nearest: Double? {
    Double(literal).flatMap { $0.isFinite ? $0 : nil }
  }

  /// The number, if a binary one stands for just these digits, as 0.1 does.
  package var exactDouble: Double? {
    let decimal = JSONDecimal(literal)
    // No binary number needs more to be told from its neighbours.
    guard let decimal, decimal.digits.count <= 17, let nearest,
      JSONDecimal(String(nearest)) == decimal
    else { return nil }
    return nearest
  }

  /// The nearest binary number, if it says all that is written: to as many digits it reads
  /// the same.
  package var heldDouble: Double? {
    guard let nearest, let decimal = JSONDecimal(literal) else { return nil }
    if JSONDecimal(String(nearest)) == decimal { return nearest }
    // No binary number has more digits.
    guard (1...767).contains(decimal.digits.count) else { return nil }
    return JSONDecimal(nearest, digits: decimal.digits.count) == decimal ? nearest : nil
  }

  /// The number in the one spelling that all of the same worth share.
  package var canonical: String { JSONDecimal(literal)?.description ?? literal }
}

/// A decimal number of any length: digits without needless zeros, and the power of
/// ten that they count.
package struct JSONDecimal: Equatable {
  package private(set) var isNegative: Bool
  package private(set) var digits: [UInt8]
  package private(set) var exponent: Int

  /// The number of a literal; `nil` where its power of ten is beyond an `Int`.
  package init?(_ literal: String) {
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

extension JSONDecimal {
  /// A binary number, rounded to some digits.
  fileprivate init?(_ number: Double, digits: Int) {
    var text = [CChar](repeating: 0, count: digits + 16)
    let length = withVaList([Int32(digits - 1), number]) {
      vsnprintf(&text, text.count, "%.*e", $0)
    }
    guard length > 0, Int(length) < text.count else { return nil }
    let bytes = text.prefix(Int(length)).map(UInt8.init(bitPattern:))
    self.init(String(decoding: bytes, as: UTF8.self))
  }
}

extension JSONDecimal: CustomStringConvertible {
  /// The number as JSON: without a power of ten where that isn't much longer.
  package var description: String {
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
