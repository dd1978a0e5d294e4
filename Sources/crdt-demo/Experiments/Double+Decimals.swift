extension Double {
  /// The number with so many digits after the point, whatever the locale.
  func text(decimals: Int) -> String {
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
  var threeDigits: String {
    text(decimals: magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0)
  }

  /// A part of one in percent, with its sign.
  var signedPercent: String {
    let text = (self * 100).text(decimals: 1)
    return (text.hasPrefix("-") || text == "0.0" ? "" : "+") + text + " %"
  }
}
