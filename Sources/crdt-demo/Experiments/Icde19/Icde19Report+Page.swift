extension Icde19Report {
  /// A page of HTML with the bytes that each algorithm has sent until when, a chart
  /// for each row.
  func page(command: String) -> ReportPage {
    ReportPage(
      title: "ICDE'19 micro-benchmarks, seed \(seed)", command: command,
      charts: comparisons.map { comparison in
        (
          "Bytes by algorithm: \(comparison.row.title)",
          comparison.outcomes.map { ByteSeries($0.algorithm.name, $0.outcome.byteSeries) }
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
