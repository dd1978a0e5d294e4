import Toolkit

/// How the cost of an update grows with the number of nodes: the set of unique
/// elements, on meshes of degree 4.
struct GrowthExperiment {
  /// What the algorithms gave with so many nodes.
  struct Row {
    var nodeCount: Int
    /// How many links an element crosses with BP+RR.
    var crossings: Int
    var outcomes: ExperimentOutcomes
  }

  var seed: UInt64
  var rows: [Row]

  static let nodeCounts = [16, 32, 64, 128]

  /// Those that are worth comparing: the others send the state, or little less.
  static let algorithms: [ExperimentAlgorithm] = [
    .both, .scuttlebutt, .scuttlebuttCollecting, .session,
  ]

  /// Runs all algorithms with so many nodes.
  static func run(nodeCount: Int, seed: UInt64) -> Row {
    let topology = ExperimentTopology.mesh(nodeCount: nodeCount)
    let setting = ExperimentSetting(
      workload: ExperimentWorkload(kind: .set, nodeCount: nodeCount), topology: topology,
      seed: seed)
    return Row(
      nodeCount: nodeCount, crossings: topology.crossings,
      outcomes: algorithms.map { ($0, setting.run($0)) })
  }

  /// Whether all nodes came to have all, everywhere.
  var hasConverged: Bool {
    rows.allSatisfy { $0.outcomes.allSatisfy(\.outcome.hasConverged) }
  }

  /// The figures in text.
  func text(styled style: (TextStyle, String) -> String) -> String {
    var text = style(.bold, "Growth") + ": a set of unique elements on meshes of degree 4, "
    text += "100 updates a node, seed \(seed)\n"
    for row in rows {
      text += "\n" + style(.bold, "\(row.nodeCount) nodes")
      text += ": an element crosses at least \(row.nodeCount - 1) links, "
      text += "and \(row.crossings) with BP+RR\n"
      text += ExperimentTable.make(row.outcomes).lines(styled: style)
    }
    return text
  }

  /// The figures in JSON.
  var json: JSONValue {
    .object([
      ("experiment", .string(ExperimentOptions.Name.growth.rawValue)),
      ("seed", .unsigned(seed)),
      (
        "rows",
        .array(
          rows.map { row in
            .object([
              ("nodes", .integer(row.nodeCount)),
              ("algorithms", ExperimentTable.json(row.outcomes)),
            ])
          })
      ),
    ])
  }
}
