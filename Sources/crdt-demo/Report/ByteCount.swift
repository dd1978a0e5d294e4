/// Numbers of bytes as people read them.
enum ByteCount {
  /// Three digits and a unit: `950 B`, `12.5 kB`, `3.21 MB`.
  static func text(_ bytes: Int) -> String {
    var (number, unit) = (Double(bytes), 0)
    let units = ["B", "kB", "MB", "GB", "TB", "PB"]
    while number >= 999.5, unit + 1 < units.count {
      number /= 1_000
      unit += 1
    }
    return
      "\(digits(number, decimals: unit == 0 ? 0 : number < 9.995 ? 2 : number < 99.95 ? 1 : 0))"
      + " \(units[unit])"
  }

  /// A number with at most so many decimals, none of them a needless zero.
  static func digits(_ number: Double, decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let whole = Int((number * Double(scale)).rounded())
    guard scale > 1, whole % scale != 0 else { return String(whole / scale) }
    var rest = String(String(abs(whole % scale) + scale).dropFirst())
    while rest.hasSuffix("0") { rest.removeLast() }
    return "\(whole < 0 ? "-" : "")\(abs(whole) / scale).\(rest)"
  }
}
