/// Times of a trace as people read them.
enum TraceTime {
  /// Seconds with one decimal, or three where they are few.
  static func rough(_ microseconds: UInt64) -> String {
    guard microseconds >= 10_000_000 else { return text(microseconds / 1_000 * 1_000) }
    return text(microseconds / 100_000 * 100_000)
  }

  /// Seconds with as many decimals as there are, `12.5 s`, and no more than six.
  static func text(_ microseconds: UInt64) -> String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest > 0 else { return "\(seconds.grouped) s" }
    var decimals = String(String(rest + 1_000_000).dropFirst())
    while decimals.hasSuffix("0") { decimals.removeLast() }
    return "\(seconds.grouped).\(decimals) s"
  }
}
