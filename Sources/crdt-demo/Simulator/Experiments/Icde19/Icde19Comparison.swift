/// A row's figures: those of this run beside the published ones.
struct Icde19Comparison: Sendable {
  /// A ratio to BP+RR, simulated and published.
  struct Ratio: Sendable {
    var algorithm: ExperimentAlgorithm
    var simulated: Double
    var published: Double

    /// How much more the simulated is than the published, as a part of it.
    var difference: Double { simulated / published - 1 }

    /// The greatest difference that counts as the same.
    static let differenceMax = 0.05

    /// Whether the two are the same, within bounds.
    var isReproduced: Bool { abs(difference) <= Self.differenceMax }
  }

  var row: Icde19Row
  /// What each algorithm gave, in the order of ``ExperimentAlgorithm``.
  var outcomes: ExperimentOutcomes

  /// Runs a row with some algorithms; BP+RR must be one of them.
  init(
    _ row: Icde19Row, seed: UInt64,
    algorithms: [ExperimentAlgorithm] = ExperimentAlgorithm.allCases,
    measuresBytes: Bool = true
  ) {
    let setting = row.setting(seed: seed, measuresBytes: measuresBytes)
    self.row = row
    outcomes = algorithms.map { ($0, setting.run($0)) }
  }

  /// What an algorithm gave.
  func outcome(of algorithm: ExperimentAlgorithm) -> ExperimentOutcome? {
    outcomes.first { $0.algorithm == algorithm }?.outcome
  }

  /// The published ratios beside those of this run.
  var ratios: [Ratio] {
    guard let base = outcome(of: .both)?.cost.units, base > 0 else { return [] }
    return zip(Icde19Row.algorithms, row.published).compactMap { algorithm, published in
      outcome(of: algorithm).map {
        Ratio(
          algorithm: algorithm, simulated: Double($0.cost.units) / Double(base),
          published: published)
      }
    }
  }

  /// Whether all nodes came to have all, with every algorithm.
  var hasConverged: Bool { outcomes.allSatisfy(\.outcome.hasConverged) }
}

/// A row of the ICDE'19 paper's micro-benchmarks: what the nodes do, on which links,
/// and what the paper measured.
struct Icde19Row: Sendable {
  /// How it is called on the command line.
  var name: String
  /// How it is called in tables.
  var title: String
  var kind: ExperimentWorkload.Kind
  var topology: ExperimentTopology
  /// Elements and metadata as multiples of those of BP+RR.
  ///
  /// In the order of ``algorithms``. They are what the raw measurements give that the
  /// paper's authors published.
  var published: [Double]

  /// The algorithms that published ratios are of.
  static let algorithms: [ExperimentAlgorithm] = [
    .state, .delta, .backPropagation, .redundancy,
  ]

  /// How many nodes all rows have.
  static let nodeCount = 15

  static let all: [Icde19Row] = [
    tree("gset-tree", "GSet, tree", .set, [82.0, 80.8, 1.00, 1.79]),
    mesh("gset-mesh", "GSet, mesh", .set, [58.4, 56.9, 56.7, 1.26]),
    tree("gcounter-tree", "GCounter, tree", .counter, [1.60, 1.80, 1.00, 1.79]),
    mesh("gcounter-mesh", "GCounter, mesh", .counter, [1.12, 1.27, 1.27, 1.26]),
    tree("gmap10-tree", "GMap 10 %, tree", .map(percent: 10), [17.4, 16.9, 1.00, 1.96]),
    mesh("gmap10-mesh", "GMap 10 %, mesh", .map(percent: 10), [11.1, 11.2, 11.2, 1.30]),
    mesh("gmap30-mesh", "GMap 30 %, mesh", .map(percent: 30), [4.03, 4.06, 4.07, 1.30]),
    mesh("gmap60-mesh", "GMap 60 %, mesh", .map(percent: 60), [2.11, 2.11, 2.12, 1.30]),
    tree("gmap100-tree", "GMap 100 %, tree", .map(percent: 100), [2.03, 2.01, 1.00, 1.99]),
    mesh("gmap100-mesh", "GMap 100 %, mesh", .map(percent: 100), [1.33, 1.32, 1.31, 1.30]),
  ]

  private static func tree(
    _ name: String, _ title: String, _ kind: ExperimentWorkload.Kind, _ published: [Double]
  ) -> Icde19Row {
    Icde19Row(name: name, title: title, kind: kind, topology: .tree, published: published)
  }

  private static func mesh(
    _ name: String, _ title: String, _ kind: ExperimentWorkload.Kind, _ published: [Double]
  ) -> Icde19Row {
    Icde19Row(name: name, title: title, kind: kind, topology: .mesh, published: published)
  }

  /// The row as all algorithms run it.
  func setting(seed: UInt64, measuresBytes: Bool = true) -> ExperimentSetting {
    ExperimentSetting(
      workload: ExperimentWorkload(kind: kind, nodeCount: Self.nodeCount), topology: topology,
      seed: seed, measuresBytes: measuresBytes)
  }
}
