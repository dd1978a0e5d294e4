/// Timestamps as text in ISO 8601: `2026-11-24T22:13:00.25Z`.
///
/// The text has as many digits as are needed to read exactly the same number of seconds.
package enum MomentText {
  /// The number of seconds between the beginnings of 1970 and 2001, in UTC.
  package static var secondsTo2001: Int64 { 978_307_200 }
  private static var secondsOfDay: Int64 { 86_400 }
  /// The greatest distance from 2001, in seconds, of a timestamp that has a text.
  private static var secondsMax: Double { 1e15 }
  /// The greatest number of digits: a power of ten with as many zeros fits in 128 bits.
  private static var digitsMax: Int { 38 }

  /// The text of a timestamp, in seconds since the beginning of 2001 in UTC.
  ///
  /// `nil` if the number is not finite, or millions of years away.
  package static func text(of seconds: Double) -> String? {
    guard seconds.isFinite, seconds.magnitude <= secondsMax else { return nil }
    let (whole, fraction) = parts(of: seconds)
    let (day, time) = (whole + secondsTo2001).quotientAndRemainder(flooringBy: secondsOfDay)
    let date = CivilDate(daysSince1970: day)
    var text = date.description
    text += "T\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60))"
    if !fraction.isEmpty { text += ".\(fraction)" }
    return text + "Z"
  }

  /// The timestamp of a text in ISO 8601, in seconds since the beginning of 2001 in UTC;
  /// `nil` if the text is invalid.
  ///
  /// A date without a time is the beginning of that day. Without a zone the text is in
  /// UTC.
  package static func seconds(of text: String) -> Double? {
    var scanner = TextScanner(text)
    guard let date = CivilDate(from: &scanner) else { return nil }
    var seconds = date.daysSince1970 * secondsOfDay - secondsTo2001
    var fraction = ""
    if !scanner.isAtEnd {
      guard scanner.skip("Tt "), let time = scanner.clockTime() else { return nil }
      seconds += time
      if scanner.skip(".,") {
        fraction = scanner.digits()
        if fraction.isEmpty { return nil }
      }
      guard let zone = scanner.zone() else { return nil }
      seconds -= zone
    }
    return scanner.isAtEnd ? number(seconds, fraction) : nil
  }

  /// The whole seconds before a timestamp, and the digits of the fraction.
  private static func parts(of seconds: Double) -> (whole: Int64, fraction: String) {
    let whole = Int64(seconds.rounded(.down))
    let digits = fractionDigits(of: seconds.magnitude)
    guard seconds < 0, !digits.isEmpty else { return (whole, digits) }
    return (whole, complement(of: digits))
  }

  /// The digits after the decimal point of a nonnegative number.
  private static func fractionDigits(of number: Double) -> String {
    var text = number.description
    var zeros = 0
    if let mark = text.firstIndex(of: "e") {
      // The number is below 0.0001, or so great that it has no fraction.
      zeros = -(Int(text[text.index(after: mark)...]) ?? 0) - 1
      text = String(text[..<mark])
      guard zeros >= 0 else { return "" }
      text = "0." + text.filter { $0 != "." }
    }
    let digits = String(repeating: "0", count: zeros) + text.drop { $0 != "." }.dropFirst()
    return String(digits.prefix(digitsMax)).droppingLastZeros
  }

  /// The digits of 1 minus a fraction.
  private static func complement(of digits: String) -> String {
    guard let number = UInt128(digits) else { return "" }
    var whole: UInt128 = 1
    for _ in digits.utf8 { whole *= 10 }
    return padded(whole - number, to: digits.utf8.count).droppingLastZeros
  }

  private static func number(_ whole: Int64, _ fraction: String) -> Double? {
    let digits = String(fraction.prefix(digitsMax)).droppingLastZeros
    if digits.isEmpty { return Double(whole) }
    if whole >= 0 { return Double("\(whole).\(digits)") }
    return Double("-\(-(whole + 1)).\(complement(of: digits))")
  }

  fileprivate static func padded(_ number: some BinaryInteger, to count: Int = 2) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

/// A day of the Gregorian calendar, extended to years before its introduction.
private struct CivilDate: CustomStringConvertible {
  var year: Int64
  var month: Int64
  var day: Int64

  private static var daysOfEra: Int64 { 146_097 }

  /// Computes the day in eras of 400 years that begin in March.
  init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooringBy: Self.daysOfEra)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(flooringBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOfEra + dayOfEra - 719_468
  }

  /// Reads a year of four digits, or of more with a sign, then a month and a day.
  init?(from scanner: inout TextScanner) {
    let isNegative = scanner.next == UInt8(ascii: "-")
    let hasSign = scanner.skip("+-")
    let digits = scanner.digits()
    guard hasSign ? (4...9).contains(digits.utf8.count) : digits.utf8.count == 4,
      let number = Int64(digits), scanner.skip("-"),
      let month = scanner.number(in: 1...12), scanner.skip("-"),
      let day = scanner.number(in: 1...31)
    else { return nil }
    (year, self.month, self.day) = (isNegative ? -number : number, month, day)
    // A day that the month lacks would give another day.
    let same = CivilDate(daysSince1970: daysSince1970)
    guard same.month == month else { return nil }
  }

  var description: String {
    let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
    let years = MomentText.padded(year.magnitude, to: sign.isEmpty ? 4 : 6)
    return "\(sign)\(years)-\(MomentText.padded(month))-\(MomentText.padded(day))"
  }
}

/// Reads a text from left to right.
private struct TextScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }
  var next: UInt8? { rest.first }

  /// Skips one of some characters, and returns whether one was there.
  mutating func skip(_ characters: String) -> Bool {
    guard let next, characters.utf8.contains(next) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func digits() -> String {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return String(Substring(digits))
  }

  /// A number of two digits.
  mutating func number(in bounds: ClosedRange<Int64>) -> Int64? {
    let digits = rest.prefix(2)
    guard let number = Int64(Substring(digits)), digits.count == 2, bounds.contains(number),
      digits.first.map({ $0 >= UInt8(ascii: "0") }) == true
    else { return nil }
    rest = rest.dropFirst(2)
    return number
  }

  /// Reads hours, minutes and optional seconds.
  mutating func clockTime() -> Int64? {
    guard let hours = number(in: 0...24), skip(":"), let minutes = number(in: 0...59) else {
      return nil
    }
    var time = hours * 3600 + minutes * 60
    if skip(":") {
      guard let seconds = number(in: 0...60) else { return nil }
      time += seconds
    }
    return hours < 24 || time == 86_400 ? time : nil
  }

  /// The offset of a zone in seconds; 0 without a zone.
  mutating func zone() -> Int64? {
    if isAtEnd || skip("Zz") { return 0 }
    let isBehind = next == UInt8(ascii: "-")
    guard skip("+-"), let hours = number(in: 0...23) else { return nil }
    var minutes: Int64 = 0
    if !isAtEnd {
      _ = skip(":")
      guard let number = number(in: 0...59) else { return nil }
      minutes = number
    }
    return (isBehind ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}

extension Int64 {
  fileprivate func quotientAndRemainder(flooringBy divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension String {
  fileprivate var droppingLastZeros: String {
    String(self[..<(lastIndex { $0 != "0" }.map { index(after: $0) } ?? startIndex)])
  }
}
