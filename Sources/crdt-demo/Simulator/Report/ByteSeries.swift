/// How many bytes were sent until when, by one algorithm or in one run.
struct ByteSeries: Equatable, Sendable {
  /// So many bytes until this time.
  struct Point: Equatable, Sendable {
    /// In microseconds.
    var time: UInt64
    var bytes: Int
  }

  /// What the line is called.
  var name: String
  /// In the order of their times.
  var points: [Point]

  init(_ name: String, _ points: [Point]) {
    self.name = name
    self.points = points
  }
}

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

/// Takes some of many, evenly.
enum EvenSample {
  /// The places of at most so many of `count` things, the first and the last among
  /// them where there is room for both.
  static func places(of count: Int, max: Int) -> [Int] {
    guard count > max else { return Array(0..<count) }
    guard max > 1 else { return max == 1 ? [0] : [] }
    return (0..<max).map { $0 * (count - 1) / (max - 1) }
  }

  /// At most so many elements.
  static func elements<Element>(of all: [Element], max: Int) -> [Element] {
    places(of: all.count, max: max).map { all[$0] }
  }
}
