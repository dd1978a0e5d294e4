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
  var outcomes: [(algorithm: ExperimentAlgorithm, outcome: ExperimentOutcome)]

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
