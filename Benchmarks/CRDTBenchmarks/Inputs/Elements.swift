import CRDTStoreTesting

/// What sets hold and maps are keyed by.
enum Elements {
  /// The integers from 0, in an order that nothing can guess.
  static func shuffled(_ count: Int) -> [Int] {
    var generator = SeededGenerator(seed: 1)
    return (0..<count).shuffled(using: &generator)
  }

  /// Distinct integers from the whole range.
  static func wide(_ count: Int) -> [Int] {
    var generator = SeededGenerator(seed: 2)
    return (0..<count).map { _ in Int(truncatingIfNeeded: generator.next()) }
  }

  /// A string of 17 bytes: too long to be kept without an allocation.
  static func string17(_ number: Int) -> String {
    "element-" + padded(number, 9)
  }

  /// A key of 10 bytes.
  static func key(_ number: Int) -> String {
    "key-" + padded(number, 6)
  }

  /// A text of 7 letters that resembles no other.
  static func randomText(_ number: Int) -> String {
    var generator = SeededGenerator(seed: UInt64(number))
    return letters(7, using: &generator)
  }

  /// Random lowercase letters.
  static func letters(_ count: Int, using generator: inout SeededGenerator) -> String {
    String(
      decoding: (0..<count).map { _ in UInt8.random(in: 97...122, using: &generator) },
      as: UTF8.self
    )
  }

  /// A text of 7 letters that resembles no other, made so simply that programs in
  /// other languages make the same: the digits of one random number to base 26.
  static func mixedText(_ number: Int) -> String {
    var generator = SeededGenerator(seed: UInt64(number))
    var rest = generator.next()
    let letters = (0..<7).map { _ in
      defer { rest /= 26 }
      return 97 + UInt8(rest % 26)
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// A text of 7 bytes that resembles the one before.
  static func similarText(_ number: Int) -> String {
    "v" + padded(number, 6)
  }

  /// A number with zeros before it.
  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
