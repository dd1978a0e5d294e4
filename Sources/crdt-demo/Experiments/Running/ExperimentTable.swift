/// A table of what algorithms cost, a row each.
enum ExperimentTable {
  static func make(_ outcomes: [(name: String, outcome: ExperimentOutcome)]) -> TextTable {
    var table = TextTable(header: [
      ["", "links an", "", "", "", "bytes", "kept a node", "CPU", "rounds"],
      [
        "algorithm", "element", "metadata", "messages", "bytes", "an update", "mean / most",
        "ms a node", "to agree",
      ],
    ])
    table.rows = outcomes.map { row($0.name, $0.outcome) }
    return table
  }

  private static func row(_ name: String, _ outcome: ExperimentOutcome) -> [String] {
    let cost = outcome.cost
    let updates = Double(max(outcome.updates, 1))
    return [
      name, outcome.crossings.text(decimals: 1), cost.metadata.grouped,
      cost.messages.grouped, cost.bytes.grouped,
      (Double(cost.bytes) / updates).text(decimals: 0),
      "\(Int(outcome.heldMean).grouped) / \(outcome.heldMax.grouped)",
      outcome.millisecondsPerNode.text(decimals: 1),
      outcome.hasConverged ? "\(outcome.roundsToConvergence)" : "never",
    ]
  }
}
