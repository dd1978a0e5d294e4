import CRDTKit
import Toolkit

extension TextPane {
  /// Another caret in the text.
  struct OtherCaret: Equatable {
    var name: String
    var anchor: Anchor
    /// The number of its color.
    var color: Int
  }

  /// The image of the text, around the caret, with the carets of others.
  func image(
    of text: some ReplicatedTextProtocol, others: [OtherCaret], name: String, message: String
  ) -> ScreenImage {
    let top = topLine(in: text)
    let lineCount = text.count(in: .lines)
    let carets = others.compactMap { other in
      text.index(of: other.anchor).map { (other: other, position: Position($0, in: text)) }
    }
    var image = ScreenImage()
    for line in top..<top + rows {
      var row = ScreenRow()
      if line < lineCount {
        let layout = LineLayout(text.line(line))
        let here = carets.filter { $0.position.line == line }
          .map { (column: $0.position.column, color: $0.other.color) }
        draw(layout, here, in: &row)
      } else {
        row.append("~", columns: 1, .dim)
      }
      image.rows.append(row)
    }
    let place = position(in: text)
    image.rows.append(
      status(
        name: name, others: carets, message: message,
        place: "\(place.line + 1):\(place.column + 1) of \(lineCount)"))
    let (row, column) = (place.line - top, place.column - firstColumn)
    image.cursor = (min(max(row, 0), rows - 1), min(max(column, 0), size.columns - 1))
    return image
  }

  private func draw(
    _ layout: LineLayout, _ carets: [(column: Int, color: Int)], in row: inout ScreenRow
  ) {
    let shown = firstColumn..<firstColumn + size.columns
    let style = { (column: Int) -> ScreenRow.Style in
      carets.first { $0.column == column }.map { .colored($0.color) } ?? .plain
    }
    for cell in layout.cells {
      let (start, end) = (cell.column, cell.column + cell.shown.columns)
      if start >= shown.lowerBound, end <= shown.upperBound {
        row.append(cell.shown.text, columns: end - start, style(start))
      } else {
        // Of a character that is cut by an edge, there is only the room.
        row.pad(to: min(end, shown.upperBound) - shown.lowerBound)
        if end > shown.upperBound { return }
      }
    }
    let end = layout.columns
    guard shown.contains(end), style(end) != .plain else { return }
    row.append(" ", columns: 1, style(end))
  }

  private func status(
    name: String, others: [(other: OtherCaret, position: Position)], message: String,
    place: String
  ) -> ScreenRow {
    var row = ScreenRow()
    let end = size.columns - place.count - 2
    row.append(" \(name) ", upTo: end, .reversed)
    for (other, position) in others {
      row.append(
        " \(other.name) \(position.line + 1):\(position.column + 1) ", upTo: end,
        .colored(other.color))
    }
    if !message.isEmpty { row.append("  \(message)", upTo: end, .reversed) }
    row.pad(to: end, .reversed)
    row.append(" \(place) ", upTo: size.columns, .reversed)
    return row
  }
}
