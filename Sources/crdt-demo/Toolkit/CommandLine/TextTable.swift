/// Rows of text in columns: the first column to the left, numbers to the right.
package struct TextTable {
  /// The headings, which may have several lines.
  package var header: [[String]]
  package var rows: [[String]] = []
  /// A last row, set apart.
  package var footer: [String]?

  package init(header: [[String]]) {
    self.header = header
  }

  /// The table's lines, each ending in a newline.
  package func lines(styled style: (TextStyle, String) -> String) -> String {
    let all = header + rows + [footer ?? []]
    let widths = (0..<(header.first?.count ?? 0)).map { column in
      all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    let rule = String(repeating: "─", count: widths.reduce(0, +) + 2 * max(widths.count - 1, 0))
    var text = ""
    for row in header { text += style(.bold, line(row, widths)) + "\n" }
    text += style(.dim, rule) + "\n"
    for row in rows { text += line(row, widths) + "\n" }
    if let footer {
      text += style(.dim, rule) + "\n" + line(footer, widths) + "\n"
    }
    return text
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    let cells = zip(row, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: cell.1 - cell.0.count)
      return column == 0 ? cell.0 + space : space + cell.0
    }
    let text = cells.joined(separator: "  ")
    return String(text.reversed().drop { $0 == " " }.reversed())
  }
}
