extension Double {
  /// The number with its unit, three digits of it.
  func shown(_ unit: Title.Unit) -> String {
    switch unit {
    case .bytes: rounded3 + " B"
    case .nanoseconds:
      switch self {
      case ..<1e3: rounded3 + " ns"
      case ..<1e6: (self / 1e3).rounded3 + " \u{B5}s"
      case ..<1e9: (self / 1e6).rounded3 + " ms"
      default: (self / 1e9).rounded3 + " s"
      }
    }
  }

  /// A ratio as people say it: 1/250 or 1.25.
  var shownAsRatio: String {
    self > 0 && self < 0.5 ? "1/" + (1 / self).rounded3 : rounded3
  }

  /// The number with k, M, G or T for thousands.
  var scaled: String {
    switch self {
    case ..<1e3: rounded3
    case ..<1e6: (self / 1e3).rounded3 + " k"
    case ..<1e9: (self / 1e6).rounded3 + " M"
    case ..<1e12: (self / 1e9).rounded3 + " G"
    default: (self / 1e12).rounded3 + " T"
    }
  }

  /// Three significant digits, without an exponent; whole numbers as they are.
  private var rounded3: String {
    guard isFinite else { return "-" }
    let size = abs(self)
    guard size < 99.95, size != size.rounded() else { return Int(self.rounded()).grouped }
    var places = 1
    var bound = 9.995
    while size < bound, places < 9 {
      places += 1
      bound /= 10
    }
    return fixed(places)
  }

  private func fixed(_ places: Int) -> String {
    let power = (0..<places).reduce(1) { power, _ in power * 10 }
    let scaled = Int((abs(self) * Double(power)).rounded())
    let fraction = String(scaled % power)
    let zeros = String(repeating: "0", count: places - fraction.count)
    return (self < 0 ? "-" : "") + "\(scaled / power).\(zeros)\(fraction)"
  }
}

extension Int {
  /// The number with commas between thousands.
  var grouped: String {
    guard abs(self) >= 1_000 else { return "\(self)" }
    let last = String(abs(self % 1_000))
    return (self / 1_000).grouped + "," + String(repeating: "0", count: 3 - last.count) + last
  }
}
