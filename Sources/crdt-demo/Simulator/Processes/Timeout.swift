/// How much longer to wait for something.
///
/// Only time spent waiting counts, and of that no more than a little at a time:
/// a program that was stopped and let go on has not run out of patience.
struct Timeout {
  private static let slice = Duration.milliseconds(100)

  private let full: Duration
  private var left: Duration

  init(_ full: Duration) {
    self.full = full
    left = full
  }

  var isOver: Bool { left <= .zero }

  /// The next wait, in milliseconds.
  var sliceMilliseconds: Int {
    let slice = min(left, Self.slice)
    return max(Int(slice / .milliseconds(1)), 1)
  }

  /// Notes a wait that has brought nothing.
  mutating func spend(_ waited: Duration) {
    left -= min(max(waited, .milliseconds(1)), Self.slice)
  }

  /// Something came: the patience is whole again.
  mutating func renew() {
    left = full
  }
}
