/// What is compared: a workload on a topology, the same for all algorithms.
struct ExperimentSetting: Sendable {
  var workload: ExperimentWorkload
  var topology: ExperimentTopology
  var seed: UInt64
  var measuresBytes = true
  /// Whether nodes go on until no one has anything to send.
  var drains = false

  /// Runs it with an algorithm.
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
