/// The measurements of one thing: their median and how far they spread.
struct Samples {
  private let sorted: [Double]

  init(_ values: [Double]) {
    sorted = values.sorted()
  }

  /// A quantity that was counted, not timed.
  init(exact value: Double) {
    sorted = [value]
  }

  var count: Int { sorted.count }
  var median: Double { quantile(0.5) }
  var p10: Double { quantile(0.1) }
  var p90: Double { quantile(0.9) }

  func divided(by divisor: Double) -> Samples {
    Samples(sorted.map { $0 / divisor })
  }

  /// The value below which that part of the samples lies, interpolated.
  private func quantile(_ part: Double) -> Double {
    guard let last = sorted.last else { return .nan }
    let place = part * Double(sorted.count - 1)
    let below = Int(place)
    guard below + 1 < sorted.count else { return last }
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - Double(below))
  }
}
