/// The names of a store's files: fixed, or made of a number.
///
/// Nothing that a user or a peer chose is ever part of a name.
enum FileNames {
  static let manifest = "MANIFEST"
  static let lock = "LOCK"
  static let closed = "CLOSED"
  static let segments = "segments"
  static let snapshots = "snapshots"
  static let quarantine = "quarantine"
  /// What ends the name of a file that isn't finished.
  static let unfinished = ".new"
  static let unfinishedManifest = manifest + unfinished

  static func segment(_ number: UInt64) -> String { "\(digits(number)).segment" }
  static func snapshot(_ number: UInt64) -> String { "\(digits(number)).snapshot" }

  /// The greatest number that a file may have: no store comes so far, and there are more.
  static let numberMax: UInt64 = 1 << 48

  /// The number in a segment's name; `nil` if it is none.
  static func segmentNumber(_ name: String) -> UInt64? { storeNumber(name, before: ".segment") }
  static func snapshotNumber(_ name: String) -> UInt64? { storeNumber(name, before: ".snapshot") }

  private static func storeNumber(_ name: String, before suffix: String) -> UInt64? {
    number(name, before: suffix).flatMap { $0 <= numberMax ? $0 : nil }
  }

  /// Whether a name is that of an unfinished file of the store's own.
  static func isUnfinished(_ name: String) -> Bool {
    guard name.hasSuffix(unfinished) else { return false }
    let finished = String(name.dropLast(unfinished.count))
    return finished == manifest || segmentNumber(finished) != nil || snapshotNumber(finished) != nil
  }

  /// Sixteen hexadecimal digits.
  static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  static func number(_ name: String, before suffix: String) -> UInt64? {
    guard name.utf8.count == 16 + suffix.utf8.count, name.hasSuffix(suffix),
      let number = UInt64(name.dropLast(suffix.count), radix: 16), number > 0,
      digits(number) + suffix == name
    else { return nil }
    return number
  }
}
