import Toolkit

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
    var text = number.text(decimals: decimals)
    guard decimals > 0 else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
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

/// Text within HTML.
enum HTML {
  /// A text so that it reads as it is between tags and in quoted attributes.
  ///
  /// What HTML can't hold, control characters, becomes the replacement character.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n", "\t", "\u{2028}", "\u{2029}": escaped += " "
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// JSON so that it can stand in a `script` element: nothing in it ends that, begins
  /// a comment, or ends a line to a script but not to JSON.
  static func embedded(_ json: JSONValue) -> String {
    var text = ""
    for scalar in json.description.unicodeScalars {
      switch scalar {
      case "<": text += "\\u003c"
      case ">": text += "\\u003e"
      case "&": text += "\\u0026"
      case "\u{2028}": text += "\\u2028"
      case "\u{2029}": text += "\\u2029"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
