/// Where times stand from left to right.
struct TimeAxis {
  /// The time at the right end, in microseconds.
  let end: UInt64
  /// Where the beginning is, and how far from it the end.
  let left: Double
  let width: Double

  /// Where a time is.
  func place(of time: UInt64) -> Double {
    end == 0 ? left : left + width * Double(min(time, end)) / Double(end)
  }

  /// Round times, so far apart that about so many fit.
  func ticks(about count: Int) -> [UInt64] {
    guard end > 0 else { return [0] }
    let step = Self.roundStep(atLeast: max(end / UInt64(max(count, 1)), 1))
    return Array(stride(from: 0, through: end, by: Int(clamping: step)))
  }

  /// The least of 1, 2, 5, 10, 20 and so on that is no less than that.
  static func roundStep(atLeast least: UInt64) -> UInt64 {
    var power: UInt64 = 1
    while true {
      for factor in [1, 2, 5] as [UInt64] where power * factor >= least { return power * factor }
      power *= 10
    }
  }
}
