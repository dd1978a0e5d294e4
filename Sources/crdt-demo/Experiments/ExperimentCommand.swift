/// `crdt-demo experiment`: measurements of the literature, beside our own.
enum ExperimentCommand {
  static func run(_ options: ExperimentOptions) -> ExitStatus {
    var console = Console(isQuiet: options.isQuiet)
    switch options.name {
    case .icde19: return icde19(options, &console)
    case .growth: return growth(options, &console)
    case .retwis: return retwis(options, &console)
    }
  }

  private static func icde19(
    _ options: ExperimentOptions, _ console: inout Console
  ) -> ExitStatus {
    var comparisons: [Icde19Comparison] = []
    for row in Icde19Row.all where options.wants(row.name) {
      console.progress(row.title)
      comparisons.append(Icde19Comparison(row, seed: options.seed))
    }
    let report = Icde19Report(seed: options.seed, comparisons: comparisons)
    console.clearProgress()
    console.write(
      options.json ? "\(report.json)\n" : report.text { console.styled($0, $1) })
    return console.finish(report.isReproduced ? .success : .diverged)
  }

  private static func growth(
    _ options: ExperimentOptions, _ console: inout Console
  ) -> ExitStatus {
    var rows: [GrowthExperiment.Row] = []
    for nodeCount in GrowthExperiment.nodeCounts where options.wants(String(nodeCount)) {
      console.progress("\(nodeCount) nodes")
      rows.append(GrowthExperiment.run(nodeCount: nodeCount, seed: options.seed))
    }
    let report = GrowthExperiment(seed: options.seed, rows: rows)
    console.clearProgress()
    console.write(
      options.json ? "\(report.json)\n" : report.text { console.styled($0, $1) })
    return console.finish(report.hasConverged ? .success : .diverged)
  }

  private static func retwis(
    _ options: ExperimentOptions, _ console: inout Console
  ) -> ExitStatus {
    var rows: [RetwisExperiment.Row] = []
    for coefficient in RetwisExperiment.coefficients
    where options.wants(coefficient.text(decimals: 2)) {
      console.progress("Zipf coefficient \(coefficient.text(decimals: 2))")
      rows.append(RetwisExperiment.run(coefficient: coefficient, seed: options.seed))
    }
    let report = RetwisExperiment(seed: options.seed, rows: rows)
    console.clearProgress()
    console.write(
      options.json ? "\(report.json)\n" : report.text { console.styled($0, $1) })
    return console.finish(report.hasConverged ? .success : .diverged)
  }
}
