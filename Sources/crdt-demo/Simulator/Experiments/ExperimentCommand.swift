package import Toolkit

/// `crdt-demo experiment`: measurements of the literature, beside our own.
package enum ExperimentCommand {
  private static func run(
    _ options: ExperimentOptions, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let seed = options.seed
    func rows<Key, Row>(
      _ keys: [(name: String, title: String, key: Key)], _ run: (Key) -> Row
    ) -> [Row] {
      keys.filter { options.wants($0.name) }.map { name, title, key in
        console.progress(title)
        return run(key)
      }
    }
    let report: any ExperimentReport =
      switch options.name {
      case .icde19:
        Icde19Report(
          seed: seed,
          comparisons: rows(Icde19Row.all.map { ($0.name, $0.title, $0) }) {
            Icde19Comparison($0, seed: seed)
          })
      case .growth:
        GrowthExperiment(
          seed: seed,
          rows: rows(GrowthExperiment.nodeCounts.map { ("\($0)", "\($0) nodes", $0) }) {
            GrowthExperiment.run(nodeCount: $0, seed: seed)
          })
      case .retwis:
        RetwisExperiment(
          seed: seed,
          rows: rows(
            RetwisExperiment.coefficients.map { coefficient in
              let text = coefficient.text(decimals: 2)
              return (text, "Zipf coefficient \(text)", coefficient)
            }
          ) { RetwisExperiment.run(coefficient: $0, seed: seed) })
      }
    console.clearProgress()
    if let path = options.report {
      try FileWriter.writeText(report.page(command: options.command).html, to: path)
    }
    console.write(
      options.json ? "\(report.json)\n" : report.text { console.styled($0, $1) })
    return report.isAsExpected ? .success : .diverged
  }
}

extension ExperimentCommand: Command {
  package static let name = "experiment"
  package static let operands = "NAME [OPTION]..."
  package static let statuses =
    "0 if all was met, 1 if a published ratio was missed or replicas\ndid not agree,"

  package static var options: [ArgumentScanner.Option] {
    [
      .init(name: "seed", letter: "s"), "only", "report", .flag("json", "j"), .flag("quiet", "q"),
    ]
  }

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus {
    let options = try ExperimentOptions(arguments)
    return Console.reporting(isQuiet: options.isQuiet) { (console) throws(CommandFailure) in
      try run(options, &console)
    }
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

/// The options of `crdt-demo experiment`.
struct ExperimentOptions: Equatable {
  /// An experiment of the literature.
  enum Name: String, CaseIterable {
    case icde19
    case growth
    case retwis
  }

  var name: Name
  /// What all chance follows from.
  var seed: UInt64 = 1
  /// The only row of a table that is wanted.
  var row: String?
  /// The page of charts that is written, if any.
  var report: String?
  var json = false
  var isQuiet = false

  init(name: Name) { self.name = name }

  init(_ arguments: Arguments) throws(UsageError) {
    let experiments = "one of " + Name.allCases.map(\.rawValue).joined(separator: ", ")
    let operand = try arguments.operand("experiment: \(experiments)")
    guard let name = Name(rawValue: operand) else {
      throw UsageError("unknown experiment '\(operand)': it must be \(experiments)")
    }
    self.name = name
    (json, isQuiet) = (arguments.has("json"), arguments.has("quiet"))
    seed = try arguments["seed"]?.seed() ?? 1
    (row, report) = (arguments.values["only"], arguments.values["report"])
    try check()
  }

  /// Refuses a row that the experiment hasn't, and a page without a name.
  private func check() throws(UsageError) {
    if report == "" { throw UsageError("'--report' needs the name of a file") }
    guard let row, !rowNames.contains(row) else { return }
    throw UsageError(
      "invalid value '\(row)' for '--only': it must be one of "
        + rowNames.joined(separator: ", "))
  }

  /// The rows of the experiment's table, as the command line names them.
  var rowNames: [String] {
    switch name {
    case .icde19: Icde19Row.all.map(\.name)
    case .growth: GrowthExperiment.nodeCounts.map(String.init)
    case .retwis: RetwisExperiment.coefficients.map { $0.text(decimals: 2) }
    }
  }

  /// Whether a row is wanted.
  func wants(_ name: String) -> Bool { row == nil || row == name }

  /// The command that repeats the run.
  var command: String {
    "crdt-demo experiment \(name) --seed \(seed)" + (row.map { " --only \($0)" } ?? "")
  }
}
