import Toolkit

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

  /// The options that it takes, beside those that all commands do.
  static let known: [ArgumentScanner.Option] = [
    .init(name: "seed", letter: "s"),
    "only",
    "report",
    .flag("json", "j"),
    .flag("quiet", "q"),
  ]

  init(name: Name) { self.name = name }

  init(_ arguments: Arguments) throws(UsageError) {
    let experiments = "one of " + Name.allCases.map(\.rawValue).joined(separator: ", ")
    let operand = try arguments.operand("experiment: \(experiments)")
    guard let name = Name(rawValue: operand) else {
      throw UsageError("unknown experiment '\(operand)': it must be \(experiments)")
    }
    self.name = name
    (json, isQuiet) = (arguments.has("json"), arguments.has("quiet"))
    for case .option(let name, let text) in arguments.all { try set(name, to: text) }
    try check()
  }

  private mutating func set(_ name: String, to text: String) throws(UsageError) {
    switch name {
    case "seed": seed = try OptionValue(name: name, text: text).seed()
    case "report": report = text
    default: row = text
    }
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
