/// What apps and a server of a ``World`` had to do with each other.
struct OutboxTally: Equatable, Sendable, CustomStringConvertible {
  /// Operations that apps have sent; those that were sent again count again.
  var sent = 0
  /// Those that the server did.
  var done = 0
  /// Those that met a change of the server's, which was taken in first.
  var conflicts = 0
  /// Those that lost to a later write, as a whole or in part.
  var superseded = 0
  /// Those that failed for good, until they were tried again.
  var deadLetters = 0

  /// All of it, in words.
  var description: String {
    "\(sent.grouped) operations sent, \(done.grouped) done, \(conflicts.counted("conflict")), "
      + "\(superseded.grouped) superseded, \(deadLetters.counted("dead letter"))"
  }

  static func += (left: inout Self, right: Self) {
    left.sent += right.sent
    left.done += right.done
    left.conflicts += right.conflicts
    left.superseded += right.superseded
    left.deadLetters += right.deadLetters
  }
}
