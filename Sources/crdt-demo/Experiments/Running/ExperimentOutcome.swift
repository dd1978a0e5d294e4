/// What a run of an experiment gave.
struct ExperimentOutcome: Sendable {
  /// All messages, of all nodes.
  var cost = ExperimentCost()
  /// The bytes of all messages until the beginning, and until each second.
  var bytesBySecond: [Int] = []
  /// How many updates were made in all.
  var updates = 0
  /// How many elements they made or changed.
  var updatedElements = 0
  /// How many seconds after the last update all nodes had all, rounded up.
  var roundsToConvergence = 0
  /// Whether all nodes had all in the end.
  var hasConverged = false
  /// The mean over nodes and seconds of what a node keeps: elements and metadata.
  var heldMean = 0.0
  /// The most that a node kept.
  var heldMax = 0
  /// Processor time of a node: of the whole run, shared among the nodes.
  ///
  /// In the micro-benchmarks the compared algorithms encode what they send, so that
  /// its bytes are known, but decode nothing; in the Twitter clone they do neither.
  /// CRDTKit's sessions always do both, and check what comes.
  var timePerNode: Duration = .zero

  /// How many links an element that an update made or changed has crossed.
  var crossings: Double { Double(cost.elements) / Double(max(updatedElements, 1)) }
}
