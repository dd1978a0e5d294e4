/// The names that operations are kept under: `outbox/` and their place in the queue.
///
/// A place has eight digits of base 32, or more; so a name fits into a `String`
/// without memory of its own.
enum OutboxKey {
  static let area = "outbox/"
  private static let digits = 8
  /// What stands before an operation whose record was made anew since: the version of no
  /// form.
  static let pastMark: UInt8 = 0xFF

  static func text(of sequence: UInt64) -> String {
    let place = String(sequence, radix: 32)
    let zeros = Swift.max(0, digits - place.utf8.count)
    return area + String(repeating: "0", count: zeros) + place
  }

  /// The place in the queue that a name says; `nil` if it is none.
  static func sequence(of key: String) -> UInt64? {
    guard key.utf8.starts(with: area.utf8) else { return nil }
    let digits = key.dropFirst(area.utf8.count)
    guard let sequence = UInt64(digits, radix: 32), text(of: sequence) == key else { return nil }
    return sequence
  }
}
