/// `crdt-demo experiment`: measurements of the literature, beside our own.
enum ExperimentCommand {
  static func run(_ options: ExperimentOptions) -> ExitStatus {
    var console = Console(isQuiet: options.isQuiet)
    do throws(Trouble) {
      let report: any ExperimentReport =
        switch options.name {
        case .icde19: icde19(options, &console)
        case .growth: growth(options, &console)
        case .retwis: retwis(options, &console)
        }
      console.clearProgress()
      if let path = options.report {
        try FileWriter.writeText(report.page(command: options.command).html, to: path)
      }
      console.write(
        options.json ? "\(report.json)\n" : report.text { console.styled($0, $1) })
      return console.finish(report.isAsExpected ? .success : .diverged)
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
  }

  private static func icde19(
    _ options: ExperimentOptions, _ console: inout Console
  ) -> Icde19Report {
    var comparisons: [Icde19Comparison] = []
    for row in Icde19Row.all where options.wants(row.name) {
      console.progress(row.title)
      comparisons.append(Icde19Comparison(row, seed: options.seed))
    }
    return Icde19Report(seed: options.seed, comparisons: comparisons)
  }

  private static func growth(
    _ options: ExperimentOptions, _ console: inout Console
  ) -> GrowthExperiment {
    var rows: [GrowthExperiment.Row] = []
    for nodeCount in GrowthExperiment.nodeCounts where options.wants(String(nodeCount)) {
      console.progress("\(nodeCount) nodes")
      rows.append(GrowthExperiment.run(nodeCount: nodeCount, seed: options.seed))
    }
    return GrowthExperiment(seed: options.seed, rows: rows)
  }

  private static func retwis(
    _ options: ExperimentOptions, _ console: inout Console
  ) -> RetwisExperiment {
    var rows: [RetwisExperiment.Row] = []
    for coefficient in RetwisExperiment.coefficients
    where options.wants(coefficient.text(decimals: 2)) {
      console.progress("Zipf coefficient \(coefficient.text(decimals: 2))")
      rows.append(RetwisExperiment.run(coefficient: coefficient, seed: options.seed))
    }
    return RetwisExperiment(seed: options.seed, rows: rows)
  }
}
