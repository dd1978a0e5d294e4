/// Which of the two improvements of delta propagation are made.
struct DeltaSettings: Equatable, Sendable {
  /// BP: a group of deltas isn't sent back to where it came from.
  var avoidsBackPropagation: Bool
  /// RR: of a group that was received, only what was new is kept and sent on.
  var removesRedundancy: Bool
}
