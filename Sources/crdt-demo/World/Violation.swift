/// Something that never may be, found in a ``World``.
struct Violation: Equatable, Sendable, CustomStringConvertible {
  /// Microseconds of virtual time.
  var time: UInt64
  /// The replica's place, from 0, where it is about one.
  var place: Int?
  var problem: String

  var description: String {
    let micros = String(time % 1_000_000)
    let seconds = "\(time / 1_000_000)." + String(repeating: "0", count: 6 - micros.count) + micros
    return "at \(seconds) s\(place.map { ", replica \($0 + 1)" } ?? ""): \(problem)"
  }
}
