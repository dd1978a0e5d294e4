import CRDTKit
import Toolkit

/// A line of a text in the columns of a terminal.
struct LineLayout {
  /// A character of the line.
  struct Cell {
    /// Where it stands in the line, in UTF-8.
    let offsets: Range<Int>
    let column: Int
    let shown: ShownCharacter
  }

  private(set) var cells: [Cell] = []
  /// How many columns the line takes.
  private(set) var columns = 0
  /// The length of the line in UTF-8.
  private(set) var length = 0

  init(_ line: some StringProtocol) {
    for character in line {
      let shown = ShownCharacter(character, at: columns)
      let end = length + character.utf8.count
      cells.append(Cell(offsets: length..<end, column: columns, shown: shown))
      columns += shown.columns
      length = end
    }
  }

  /// The character that a position is before or within; `nil` at the end of the line.
  func cell(at offset: Int) -> Cell? {
    cells.first { offset < $0.offsets.upperBound }
  }

  /// The character before a position; `nil` at the start of the line.
  func cell(before offset: Int) -> Cell? {
    cells.last { $0.offsets.lowerBound < offset }
  }

  func column(of offset: Int) -> Int { cell(at: offset)?.column ?? columns }

  /// The position of the character that takes a column; the end of the line if none does.
  func offset(at column: Int) -> Int {
    cells.first { column < $0.column + $0.shown.columns }?.offsets.lowerBound ?? length
  }
}

extension ReplicatedTextProtocol {
  /// The offset at which a line begins, in UTF-8.
  func lineStart(_ line: Int) -> Int { offset(of: index(line, in: .lines), in: .utf8) }

  /// A line without its line feed: only this part of the text is read.
  func line(_ number: Int) -> String {
    var line = self[index(number, in: .lines)..<index(number + 1, in: .lines)]
    if line.utf8.last == UInt8(ascii: "\n") { line.unicodeScalars.removeLast() }
    return line
  }
}
