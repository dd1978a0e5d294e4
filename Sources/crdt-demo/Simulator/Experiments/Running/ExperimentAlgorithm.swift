/// A synchronization algorithm.
enum ExperimentAlgorithm: String, CaseIterable, Sendable {
  /// The whole state, each time.
  case state
  /// Classic deltas.
  case delta
  /// Deltas that aren't sent back.
  case backPropagation = "delta-bp"
  /// Deltas of which only what was new is sent on.
  case redundancy = "delta-rr"
  /// Deltas with both improvements.
  case both = "delta-bp-rr"
  /// Versions, then the deltas that are missing.
  case scuttlebutt
  /// The same, with what is needed to forget deltas.
  case scuttlebuttCollecting = "scuttlebutt-gc"
  /// CRDTKit's own sessions.
  case session = "crdtkit"

  /// How it is called in tables.
  var name: String {
    switch self {
    case .state: "state"
    case .delta: "delta"
    case .backPropagation: "delta BP"
    case .redundancy: "delta RR"
    case .both: "delta BP+RR"
    case .scuttlebutt: "Scuttlebutt"
    case .scuttlebuttCollecting: "Scuttlebutt GC"
    case .session: "CRDTKit sessions"
    }
  }

  /// Which improvements of delta propagation it makes, if it is that.
  var deltaSettings: DeltaSettings? {
    switch self {
    case .delta: DeltaSettings(avoidsBackPropagation: false, removesRedundancy: false)
    case .backPropagation: DeltaSettings(avoidsBackPropagation: true, removesRedundancy: false)
    case .redundancy: DeltaSettings(avoidsBackPropagation: false, removesRedundancy: true)
    case .both: DeltaSettings(avoidsBackPropagation: true, removesRedundancy: true)
    default: nil
    }
  }
}
