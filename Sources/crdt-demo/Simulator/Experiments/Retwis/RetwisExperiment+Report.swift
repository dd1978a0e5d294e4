import Toolkit

extension RetwisExperiment {
  /// The figures in text.
  func text(styled style: (TextStyle, String) -> String) -> String {
    var text = style(.bold, "Retwis") + ": \(RetwisWorkload.Size().nodeCount) nodes of degree 4, "
    text += "\(RetwisWorkload.Size().userCount.grouped) users; "
    text += "\(RetwisWorkload.Size().operationsPerNode) operations a node,\n"
    text += "one in each period, in which it also synchronizes once; seed \(seed)\n\n"
    text += ratioTable.lines(styled: style)
    for row in rows {
      text += "\n" + style(.bold, "Zipf \(row.coefficient.text(decimals: 2))")
      text += ": \(row.both.updatedElements.grouped) elements in the end\n"
      text += Self.table(of: row).lines(styled: style)
    }
    return text
  }

  private var ratioTable: TextTable {
    var table = TextTable(header: [
      ["", "delta / BP+RR", "", "", "delta / BP+RR"],
      ["Zipf", "simulated", "published", "difference", "elements alone"],
    ])
    table.rows = rows.map { row in
      let elements = Double(row.delta.cost.elements) / Double(max(row.both.cost.elements, 1))
      return [
        row.coefficient.text(decimals: 2), row.simulated.threeDigits, row.published.threeDigits,
        (row.simulated / row.published - 1).signedPercent, elements.threeDigits,
      ]
    }
    return table
  }

  private static func table(of row: Row) -> TextTable {
    var table = TextTable(header: [
      ["", "", "links an", "", "", "", "CPU", "rounds"],
      [
        "algorithm", "elements", "element", "metadata", "messages", "bytes", "ms a node",
        "to agree",
      ],
    ])
    table.rows = row.outcomes.map { algorithm, outcome in
      [
        algorithm.name, outcome.cost.elements.grouped, outcome.crossings.text(decimals: 1),
        outcome.cost.metadata.grouped, outcome.cost.messages.grouped,
        outcome.cost.bytes.grouped, outcome.millisecondsPerNode.text(decimals: 1),
        outcome.hasConverged ? "\(outcome.roundsToConvergence)" : "never",
      ]
    }
    return table
  }

  /// The figures in JSON.
  var json: JSONValue {
    .object([
      ("experiment", .string(ExperimentOptions.Name.retwis.rawValue)),
      ("seed", .unsigned(seed)),
      ("rows", .array(rows.map(Self.json(of:)))),
    ])
  }

  private static func json(of row: Row) -> JSONValue {
    .object([
      ("zipf", .number(row.coefficient)),
      ("simulated", .number(row.simulated)),
      ("published", .number(row.published)),
      (
        "algorithms",
        .array(
          row.outcomes.map {
            .object([("algorithm", .string($0.algorithm.rawValue))] + $0.outcome.members)
          })
      ),
    ])
  }
}
