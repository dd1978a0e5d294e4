/// What is compared: a workload on a topology, the same for all algorithms.
struct ExperimentSetting: Sendable {
  var workload: ExperimentWorkload
  var topology: ExperimentTopology
  var seed: UInt64
  var measuresBytes = true
  /// Whether nodes go on until no one has anything to send.
  var drains = false

  func run(_ algorithm: ExperimentAlgorithm) -> ExperimentOutcome {
    switch workload.kind {
    case .set: run(algorithm, of: NumberSet.self, ReplicatedSet.self)
    case .counter: run(algorithm, of: CountVector.self, ReplicatedCounter.self)
    case .map: run(algorithm, of: StampMap.self, ReplicatedMap.self)
    }
  }

  private func run<Content: Lattice, Replicated: ReplicatedContent>(
    _ algorithm: ExperimentAlgorithm, of _: Content.Type, _: Replicated.Type
  ) -> ExperimentOutcome {
    if let settings = algorithm.deltaSettings {
      return run(DeltaSynchronizer<Content>.self, settings)
    }
    switch algorithm {
    case .scuttlebutt:
      return run(
        ScuttlebuttSynchronizer<Content>.self, ScuttlebuttSettings(collectsGarbage: false))
    case .scuttlebuttCollecting:
      return run(
        ScuttlebuttSynchronizer<Content>.self, ScuttlebuttSettings(collectsGarbage: true))
    case .session: return run(SessionSynchronizer<Replicated>.self, ())
    default: return run(StateSynchronizer<Content>.self, ())
    }
  }

  private func run<Node: Synchronizer>(
    _: Node.Type, _ settings: Node.Settings
  ) -> ExperimentOutcome {
    var run = ExperimentRun<Node>(self, settings: settings)
    return run.run()
  }
}

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
