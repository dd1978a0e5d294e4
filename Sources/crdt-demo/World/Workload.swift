/// What the replicas of a simulation change.
enum Workload: String, CaseIterable, Sendable {
  /// A document, by all kinds of operation.
  case mixed
  /// A set of numbers, to which some are added and from which some are removed.
  case set
  /// A map of counters.
  case counter
  /// A map of registers.
  case map
  /// A document of notes, whose fields are written.
  case notes
}
