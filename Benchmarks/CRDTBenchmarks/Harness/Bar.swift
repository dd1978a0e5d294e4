/// What a row must show at n = 1,000,000.
enum Bar {
  /// At most so many times the baseline.
  case ratio(Double)
  /// At most so much above the baseline, in the row's unit.
  case difference(Double)
  /// At most so much, in the row's unit, whatever the baseline.
  case value(Double)

  var limit: Double {
    switch self {
    case .ratio(let limit), .difference(let limit), .value(let limit): limit
    }
  }

  var subject: String {
    switch self {
    case .ratio: "ratio"
    case .difference: "difference"
    case .value: "value"
    }
  }

  /// The figure that the bar is about.
  func measured(_ ours: Double, _ baseline: Double) -> Double {
    switch self {
    case .ratio: ours / baseline
    case .difference: ours - baseline
    case .value: ours
    }
  }
}
