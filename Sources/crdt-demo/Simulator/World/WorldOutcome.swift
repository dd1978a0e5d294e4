/// What came of a ``WorldSchedule``.
struct WorldOutcome: Sendable {
  var counts = WorldCounts()
  var violations: [Violation] = []
  /// Microseconds of virtual time that it took.
  var time: UInt64 = 0
  /// How many states were judged.
  var checks = 0
  /// How many microseconds of processor time that took.
  var checkingMicroseconds = 0
  /// How many edits were made and durable.
  var edits = 0
  /// How many deltas came to replicas, how many of them brought something new, and
  /// how many came over a gap; of sessions, those that were learned.
  var deltas = 0
  var applied = 0
  var gaps = 0
  /// The digest that all have in the end, and what it reads as.
  var digest = ""
  var summary = ""
  /// How many replicas there are in the end.
  var remaining = 0
}
