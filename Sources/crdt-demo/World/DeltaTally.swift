/// How many deltas have come to a replica.
struct DeltaTally: Equatable, Sendable {
  var delivered = 0
  /// Those that brought something new.
  var applied = 0
  /// Those that came over a gap.
  var gaps = 0
  /// How often a value was read back from bytes.
  var readBacks = 0
}
