import Toolkit

/// The outcome of a run of an experiment.
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

/// The outcome of each algorithm.
typealias ExperimentOutcomes = [(algorithm: ExperimentAlgorithm, outcome: ExperimentOutcome)]

/// The outcomes of algorithms in a table, and in JSON.
enum ExperimentTable {
  static func json(_ outcomes: ExperimentOutcomes) -> JSONValue {
    .array(
      outcomes.map {
        .object([("algorithm", .string($0.algorithm.rawValue))] + $0.outcome.members)
      })
  }

  static func make(_ outcomes: ExperimentOutcomes) -> TextTable {
    var table = TextTable(header: [
      ["", "links an", "", "", "", "bytes", "kept a node", "CPU", "rounds"],
      [
        "algorithm", "element", "metadata", "messages", "bytes", "an update", "mean / most",
        "ms a node", "to agree",
      ],
    ])
    table.rows = outcomes.map { row($0.algorithm.name, $0.outcome) }
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
