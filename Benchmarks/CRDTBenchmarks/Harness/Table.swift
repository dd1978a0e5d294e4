/// The rows as people read them, each printed as soon as it is known.
enum Table {
  private static let columns: [(title: String, width: Int)] = [
    ("row", -40), ("ours", 10), ("p10 to p90", 22), ("elements/s", 10), ("baseline", -29),
    ("its", 10), ("ratio", 9), ("bar", 9), ("met", 4),
  ]

  static func header(_ options: Options) -> String {
    let setting = "n = \(options.count.grouped), medians, \(Build.name) build"
    let line = format(columns.map(\.title))
    return "\(setting)\n\n\(line)\n" + String(repeating: "-", count: line.count)
  }

  static func line(_ row: Row) -> String {
    let title = row.title
    return format([
      title.name,
      row.ours.median.shown(title.unit),
      row.ours.count > 1
        ? "\(row.ours.p10.shown(title.unit)) to \(row.ours.p90.shown(title.unit))" : "",
      row.elementsPerSecond?.scaled ?? "",
      title.baseline,
      row.baseline.median.shown(title.unit),
      row.ratio.shownAsRatio,
      title.bar?.shown(title.unit) ?? "",
      row.isMet.map { $0 ? "yes" : "NO" } ?? "",
    ])
  }

  /// Joins the cells, padded to the right where the width is negative, else to
  /// the left.
  private static func format(_ cells: [String]) -> String {
    zip(cells, columns).map { cell, column in
      let padding = String(repeating: " ", count: max(0, abs(column.width) - cell.count))
      return column.width < 0 ? cell + padding : padding + cell
    }.joined(separator: "  ")
  }
}

extension Bar {
  fileprivate func shown(_ unit: Title.Unit) -> String {
    switch self {
    case .ratio(let limit): "\u{2264} " + limit.shownAsRatio
    case .difference(let limit): "\u{2264} +" + limit.shown(unit)
    case .value(let limit): "\u{2264} " + limit.shown(unit)
    }
  }
}
