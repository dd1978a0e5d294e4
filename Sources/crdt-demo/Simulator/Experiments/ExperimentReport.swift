import Toolkit

/// A row of an experiment, with the outcome of each algorithm.
typealias ExperimentChart = (title: String, outcomes: ExperimentOutcomes)

/// The findings of an experiment.
protocol ExperimentReport {
  /// The title on a page.
  var title: String { get }

  /// Whether the findings are as expected.
  var isAsExpected: Bool { get }

  /// The content of a page.
  var charts: [ExperimentChart] { get }

  /// The report in text.
  func text(styled style: (TextStyle, String) -> String) -> String

  /// The report in JSON.
  var json: JSONValue { get }
}

extension ExperimentReport {
  /// An HTML page with a chart for each row that shows the bytes sent over time by each
  /// algorithm.
  func page(command: String) -> ReportPage {
    ReportPage(
      title: title, command: command,
      charts: charts.map { chart in
        (
          "Bytes by algorithm: \(chart.title)",
          chart.outcomes.map { ByteSeries($0.algorithm.name, $0.outcome.byteSeries) }
        )
      })
  }
}

extension ExperimentOutcome {
  /// The bytes sent until each second.
  fileprivate var byteSeries: [ByteSeries.Point] {
    bytesBySecond.enumerated().map { second, bytes in
      ByteSeries.Point(time: UInt64(second) * 1_000_000, bytes: bytes)
    }
  }
}

extension Icde19Report: ExperimentReport {
  var title: String { "ICDE'19 micro-benchmarks, seed \(seed)" }

  var isAsExpected: Bool { isReproduced }

  var charts: [ExperimentChart] { comparisons.map { ($0.row.title, $0.outcomes) } }
}

extension GrowthExperiment: ExperimentReport {
  var title: String { "Growth with the number of nodes, seed \(seed)" }

  var isAsExpected: Bool { hasConverged }

  var charts: [ExperimentChart] { rows.map { ("\($0.nodeCount) nodes", $0.outcomes) } }
}

extension RetwisExperiment: ExperimentReport {
  var title: String { "Retwis, seed \(seed)" }

  var isAsExpected: Bool { hasConverged }

  var charts: [ExperimentChart] {
    rows.map { ("Zipf \($0.coefficient.text(decimals: 2))", $0.outcomes) }
  }
}
