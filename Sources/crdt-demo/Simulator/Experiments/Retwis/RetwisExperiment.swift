import Toolkit

/// The paper's Twitter clone: classic deltas, BP+RR and CRDTKit's sessions, under more
/// and more contention.
///
/// An operation's user is drawn by Zipf's law, the one who is followed too; a follow
/// adds to a set, a post to the writer's wall and to the timeline of every follower
/// that the node knows. The paper's program synchronizes each object by itself, so
/// sequence numbers and acknowledgements come per object: of the published ratios
/// they are a part, and with little contention the greater one.
struct RetwisExperiment {
  /// What the algorithms gave with a Zipf coefficient.
  struct Row {
    var coefficient: Double
    /// The published ratio of classic deltas to BP+RR, in elements and metadata.
    var published: Double
    var delta: ExperimentOutcome
    var both: ExperimentOutcome
    var session: ExperimentOutcome

    /// The same ratio in this run.
    var simulated: Double {
      Double(delta.cost.units) / Double(max(both.cost.units, 1))
    }

    /// What each algorithm gave.
    var outcomes: ExperimentOutcomes {
      [(.delta, delta), (.both, both), (.session, session)]
    }
  }

  var seed: UInt64
  var rows: [Row]

  /// The published ratios, by coefficient.
  ///
  /// They are what the raw measurements give that the paper's authors published.
  private static let published: [(coefficient: Double, ratio: Double)] = [
    (0.25, 1.01), (0.5, 1.02), (0.75, 1.30), (1, 7.15), (1.25, 22.2), (1.5, 31.8),
  ]

  static var coefficients: [Double] { published.map(\.coefficient) }

  /// Runs the algorithms with a coefficient.
  static func run(coefficient: Double, seed: UInt64) -> Row {
    let workload = RetwisWorkload(coefficient: coefficient, seed: seed)
    var delta = RetwisRun<RetwisDeltaNode>(
      workload, seed: seed,
      settings: DeltaSettings(avoidsBackPropagation: false, removesRedundancy: false))
    var both = RetwisRun<RetwisDeltaNode>(
      workload, seed: seed,
      settings: DeltaSettings(avoidsBackPropagation: true, removesRedundancy: true))
    var session = RetwisRun<RetwisSessionNode>(workload, seed: seed, settings: ())
    return Row(
      coefficient: coefficient,
      published: published.first { $0.coefficient == coefficient }?.ratio ?? .nan,
      delta: delta.run(), both: both.run(), session: session.run())
  }

  /// Whether all nodes came to have all, everywhere.
  var hasConverged: Bool {
    rows.allSatisfy { $0.outcomes.allSatisfy(\.outcome.hasConverged) }
  }
}

extension RetwisExperiment {
  /// The figures in text.
  func text(styled style: (TextStyle, String) -> String) -> String {
    var text = style(.bold, "Retwis") + ": \(RetwisWorkload.Size().nodeCount) nodes of degree 4, "
    text += "\(RetwisWorkload.Size().userCount.grouped) users; "
    text += "\(RetwisWorkload.Size().operationsPerNode) operations a node,\n"
    text += "one in each period, in which it also synchronizes once; seed \(seed)\n\n"
    text += ratioTable.lines(styled: style)
    for row in rows {
      text += "\n" + style(.bold, "Zipf \(row.coefficient.text(decimals: 2))")
      text += ": \(row.both.updatedElements.grouped) elements in the end\n"
      text += Self.table(of: row).lines(styled: style)
    }
    return text
  }

  private var ratioTable: TextTable {
    var table = TextTable(header: [
      ["", "delta / BP+RR", "", "", "delta / BP+RR"],
      ["Zipf", "simulated", "published", "difference", "elements alone"],
    ])
    table.rows = rows.map { row in
      let elements = Double(row.delta.cost.elements) / Double(max(row.both.cost.elements, 1))
      return [
        row.coefficient.text(decimals: 2), row.simulated.threeDigits, row.published.threeDigits,
        (row.simulated / row.published - 1).signedPercent, elements.threeDigits,
      ]
    }
    return table
  }

  private static func table(of row: Row) -> TextTable {
    var table = TextTable(header: [
      ["", "", "links an", "", "", "", "CPU", "rounds"],
      [
        "algorithm", "elements", "element", "metadata", "messages", "bytes", "ms a node",
        "to agree",
      ],
    ])
    table.rows = row.outcomes.map { algorithm, outcome in
      [
        algorithm.name, outcome.cost.elements.grouped, outcome.crossings.text(decimals: 1),
        outcome.cost.metadata.grouped, outcome.cost.messages.grouped,
        outcome.cost.bytes.grouped, outcome.millisecondsPerNode.text(decimals: 1),
        outcome.hasConverged ? "\(outcome.roundsToConvergence)" : "never",
      ]
    }
    return table
  }

  /// The figures in JSON.
  var json: JSONValue {
    .object([
      ("experiment", .string(ExperimentOptions.Name.retwis.rawValue)),
      ("seed", .unsigned(seed)),
      ("rows", .array(rows.map(Self.json(of:)))),
    ])
  }

  private static func json(of row: Row) -> JSONValue {
    .object([
      ("zipf", .number(row.coefficient)),
      ("simulated", .number(row.simulated)),
      ("published", .number(row.published)),
      ("algorithms", ExperimentTable.json(row.outcomes)),
    ])
  }
}
