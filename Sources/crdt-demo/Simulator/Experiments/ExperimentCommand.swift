package import Toolkit

/// `crdt-demo experiment`: measurements of the literature, beside our own.
package enum ExperimentCommand {
  static func run(_ options: ExperimentOptions) -> ExitStatus {
    var console = Console(isQuiet: options.isQuiet)
    do throws(CommandFailure) {
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

extension ExperimentCommand: Command {
  package static let name = "experiment"
  package static let operands = "NAME [OPTION]..."
  package static let statuses =
    "0 if all was met, 1 if a published ratio was missed or replicas\ndid not agree,"

  package static var options: [ArgumentScanner.Option] { ExperimentOptions.known }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    run(try ExperimentOptions(arguments))
  }

  package static let help = """
    experiment runs measurements of the literature on delta-CRDTs in virtual time,
    with the algorithms that it compares and with CRDTKit's own sessions. NAME is

      icde19                 the micro-benchmarks of Enes, Almeida, Baquero,
                             Leitão, "Efficient Synchronization of State-based
                             CRDTs", 2019: each ratio beside the published one
      growth                 the set of unique elements on meshes of degree 4 with
                             16, 32, 64 and 128 nodes
      retwis                 the same paper's Twitter clone, with 50 nodes and
                             10,000 users

      -s, --seed=N           the seed of all chance (default 1)
          --only=ROW         one row of the table: gset-mesh, 64 or 1.00, say
          --report=FILE      write a page of HTML with the bytes of each algorithm
                               over time
      -j, --json             print one JSON object
      -q, --quiet            show no progress

    The same command gives the same counts every time; only 'CPU' differs. The
    status is 1 where a published ratio of icde19 is missed by more than 5 %.
    """
}
