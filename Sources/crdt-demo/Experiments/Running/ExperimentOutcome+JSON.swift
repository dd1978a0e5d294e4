extension ExperimentOutcome {
  /// Processor time of a node.
  var millisecondsPerNode: Double { timePerNode / .milliseconds(1) }

  /// The outcome as members of a JSON object.
  var members: [(name: String, value: JSONValue)] {
    [
      ("converged", .bool(hasConverged)),
      ("updates", .integer(updates)),
      ("updated_elements", .integer(updatedElements)),
      ("messages", .integer(cost.messages)),
      ("elements", .integer(cost.elements)),
      ("metadata", .integer(cost.metadata)),
      ("bytes", .integer(cost.bytes)),
      ("kept_mean", .number(heldMean)),
      ("kept_most", .integer(heldMax)),
      ("rounds_to_agree", .integer(roundsToConvergence)),
      ("cpu_milliseconds_per_node", .number(millisecondsPerNode)),
    ]
  }
}
