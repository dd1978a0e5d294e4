extension BinaryInteger {
  /// The number with a comma between its thousands, whatever the locale.
  package var grouped: String {
    var digits = Array(String(magnitude))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: place)
      place -= 3
    }
    return (self < 0 ? "-" : "") + String(digits)
  }

  /// The number, grouped, and what it counts: `1 file`, `2 files`.
  package func counted(_ noun: String) -> String {
    "\(grouped) \(noun)\(self == 1 ? "" : "s")"
  }
}

extension UInt64 {
  /// The number as 16 hexadecimal digits: what digests are shown as.
  package var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension Double {
  /// The number with so many digits after the point, whatever the locale.
  package func text(decimals: Int) -> String {
    guard isFinite else { return "-" }
    var unit = 1.0
    for _ in 0..<decimals { unit *= 10 }
    let scaled = (magnitude * unit).rounded()
    guard scaled < 1e15 else { return String(self) }
    let digits = String(Int(scaled))
    let sign = self < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(decimals + 1 - digits.count, 0)) + digits
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }

  /// The number with three digits that say something, as the literature prints it.
  package var threeDigits: String {
    text(decimals: magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0)
  }

  /// A part of one in percent, with its sign.
  package var signedPercent: String {
    let text = (self * 100).text(decimals: 1)
    return (text.hasPrefix("-") || text == "0.0" ? "" : "+") + text + " %"
  }
}
