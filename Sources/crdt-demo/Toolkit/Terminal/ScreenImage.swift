/// What a terminal shows: rows of characters, and where the cursor is.
package struct ScreenImage: Equatable, Sendable {
  package var rows: [ScreenRow]
  /// The row and column of the cursor, from 0.
  package var cursor: (row: Int, column: Int)

  package init(rows: [ScreenRow] = [], cursor: (row: Int, column: Int) = (0, 0)) {
    (self.rows, self.cursor) = (rows, cursor)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.rows == right.rows && left.cursor == right.cursor
  }

  /// The bytes that turn what a terminal shows into this image; without an image from before,
  /// all of it is drawn.
  package func bytes(after previous: ScreenImage?, isColored: Bool) -> [UInt8] {
    var text = "\u{1B}[?25l"
    if previous == nil { text += "\u{1B}[0m\u{1B}[2J" }
    for (number, row) in rows.enumerated() {
      if let previous, number < previous.rows.count, previous.rows[number] == row { continue }
      // Erased first: after the last column there would be nothing to erase but that.
      text += "\u{1B}[\(number + 1);1H\u{1B}[2K" + row.encoded(isColored: isColored)
    }
    text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
    return Array(text.utf8)
  }
}

/// A row of a screen.
package struct ScreenRow: Equatable, Sendable {
  /// How a part of a row is drawn.
  package enum Style: Hashable, Sendable {
    case plain
    case dim
    case reversed
    /// One of six colors, as the background.
    case colored(Int)
  }

  private struct Run: Equatable {
    var text: String
    var style: Style
  }

  private var runs: [Run] = []
  /// How many columns it takes.
  package private(set) var columns = 0

  package init() {}

  /// The characters without their styles.
  package var text: String { runs.map(\.text).joined() }

  /// The parts of the row that are drawn in a style.
  package func texts(_ style: Style) -> [String] {
    runs.filter { $0.style == style }.map(\.text)
  }

  /// Adds text of some columns.
  package mutating func append(_ text: String, columns count: Int, _ style: Style = .plain) {
    columns += count
    if let last = runs.indices.last, runs[last].style == style {
      runs[last].text += text
    } else {
      runs.append(Run(text: text, style: style))
    }
  }

  /// Adds as much of a text as there is room for in a row of some columns.
  package mutating func append(_ text: String, upTo columnsMax: Int, _ style: Style = .plain) {
    for character in text {
      let shown = ShownCharacter(character, at: columns)
      guard columns + shown.columns <= columnsMax else { return }
      append(shown.text, columns: shown.columns, style)
    }
  }

  /// Adds spaces up to a column.
  package mutating func pad(to column: Int, _ style: Style = .plain) {
    guard columns < column else { return }
    append(String(repeating: " ", count: column - columns), columns: column - columns, style)
  }

  fileprivate func encoded(isColored: Bool) -> String {
    runs.map { run in
      guard let code = run.style.code(isColored: isColored) else { return run.text }
      return "\u{1B}[\(code)m\(run.text)\u{1B}[0m"
    }.joined()
  }
}

extension ScreenRow.Style {
  fileprivate func code(isColored: Bool) -> String? {
    switch self {
    case .plain: nil
    case .dim: "2"
    case .reversed: "7"
    case .colored(let number): isColored ? "30;\(41 + number % 6)" : "4;7"
    }
  }
}
