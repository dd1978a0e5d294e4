import Toolkit

/// The figures of all rows, for people and for programs.
struct Icde19Report {
  var seed: UInt64
  var comparisons: [Icde19Comparison]

  /// Whether every published ratio was met.
  var isReproduced: Bool {
    comparisons.allSatisfy { $0.hasConverged && $0.ratios.allSatisfy(\.isReproduced) }
  }

  /// The report in text.
  func text(styled style: (TextStyle, String) -> String) -> String {
    var text = style(.bold, "ICDE'19 micro-benchmarks") + ", 15 nodes, 100 updates each, "
    text += "seed \(seed)\n"
    text += "elements and metadata sent, as multiples of BP+RR's\n\n"
    text += ratioTable.lines(styled: style) + "\n"
    text += verdict(styled: style) + "\n"
    text += "\n" + summary.lines(styled: style)
    for comparison in comparisons {
      text += "\n" + style(.bold, comparison.row.title) + "\n"
      text += ExperimentTable.make(comparison.outcomes).lines(styled: style)
    }
    return text
  }

  private var ratioTable: TextTable {
    var table = TextTable(header: [
      ["row", "algorithm", "simulated", "published", "difference"]
    ])
    for comparison in comparisons {
      for (place, ratio) in comparison.ratios.enumerated() {
        table.rows.append([
          place == 0 ? comparison.row.title : "", ratio.algorithm.name,
          ratio.simulated.threeDigits, ratio.published.threeDigits,
          ratio.difference.signedPercent,
        ])
      }
    }
    return table
  }

  /// The algorithms that CRDTKit's own has to stand up to.
  private static let rivals: [ExperimentAlgorithm] = [.both, .scuttlebutt, .session]

  private var summary: TextTable {
    let names = Self.rivals.map(\.name)
    let links = names.map { _ in "links an element" }
    let bytes = names.map { _ in "bytes" }
    var table = TextTable(header: [[""] + links + bytes, ["row"] + names + names])
    table.rows = comparisons.map { comparison in
      let outcomes = Self.rivals.map { comparison.outcome(of: $0) }
      return [comparison.row.title]
        + outcomes.map { $0?.crossings.text(decimals: 1) ?? "-" }
        + outcomes.map { $0?.cost.bytes.grouped ?? "-" }
    }
    return table
  }

  private func verdict(styled style: (TextStyle, String) -> String) -> String {
    let ratios = comparisons.flatMap(\.ratios)
    let worst = ratios.map { abs($0.difference) }.max() ?? 0
    let met = ratios.count { $0.isReproduced }
    let bound = (Icde19Comparison.Ratio.differenceMax * 100).text(decimals: 0)
    let count = "\(met) of \(ratios.count) published ratios are met within \(bound) %"
    return style(isReproduced ? .green : .red, count)
      + "; the greatest difference is \((worst * 100).text(decimals: 1)) %"
  }

  /// The report in JSON.
  var json: JSONValue {
    .object([
      ("experiment", .string(ExperimentOptions.Name.icde19.rawValue)),
      ("seed", .unsigned(seed)),
      ("reproduced", .bool(isReproduced)),
      ("rows", .array(comparisons.map(Self.json(of:)))),
    ])
  }

  private static func json(of comparison: Icde19Comparison) -> JSONValue {
    .object([
      ("row", .string(comparison.row.name)),
      (
        "ratios",
        .array(
          comparison.ratios.map {
            .object([
              ("algorithm", .string($0.algorithm.rawValue)),
              ("simulated", .number($0.simulated)),
              ("published", .number($0.published)),
              ("difference", .number($0.difference)),
            ])
          })
      ),
      ("algorithms", ExperimentTable.json(comparison.outcomes)),
    ])
  }
}
