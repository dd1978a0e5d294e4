/// What an experiment has found.
protocol ExperimentReport {
  /// Whether it is as it should be.
  var isAsExpected: Bool { get }

  /// The report as people read it.
  func text(styled style: (TextStyle, String) -> String) -> String

  /// The report as programs read it.
  var json: JSONValue { get }
}

extension Icde19Report: ExperimentReport {
  var isAsExpected: Bool { isReproduced }
}

extension GrowthExperiment: ExperimentReport {
  var isAsExpected: Bool { hasConverged }
}

extension RetwisExperiment: ExperimentReport {
  var isAsExpected: Bool { hasConverged }
}
