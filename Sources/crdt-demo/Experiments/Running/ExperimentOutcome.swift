/// What a run of an experiment gave.
struct ExperimentOutcome: Sendable {
  /// All messages, of all nodes.
  var cost = ExperimentCost()
  /// How many updates were made in all.
  var updates = 0
  /// How many seconds after the last update all nodes had all, rounded up.
  var roundsToConvergence = 0
  /// Whether all nodes had all in the end.
  var hasConverged = false
  /// The mean over nodes and seconds of what a node keeps: elements and metadata.
  var heldMean = 0.0
  /// The most that a node kept.
  var heldMax = 0
  /// Processor time of a node: of the whole run, shared among the nodes.
  var timePerNode: Duration = .zero

  /// How many times an element was sent, for each that an update brought.
  func crossings(ofElements count: Int) -> Double {
    Double(cost.elements) / Double(count)
  }
}
