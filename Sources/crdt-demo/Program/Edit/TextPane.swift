import CRDTKit
import Toolkit

/// What an editor shows of a text, and its caret in it.
///
/// The caret and the first row are anchors, so they stay beside the same characters whatever
/// others write. The text itself isn't kept here.
struct TextPane {
  typealias Anchor = ReplicatedText.Anchor

  /// A thing to do that keys ask for.
  enum Action: Equatable {
    /// Replace a range of the text, in UTF-8.
    case replace(Range<Int>, String)
    case undo, redo
    case save, redraw, quit
  }

  /// The size of the terminal; the last row is the status line.
  var size: (columns: Int, rows: Int)
  private(set) var caret: Anchor
  private var top: Anchor
  /// The first column that is shown of each line.
  private(set) var firstColumn = 0
  /// Where the caret was last, in UTF-8: for a text in which its anchor is unknown.
  private var lastOffset = 0
  /// The column that moves up and down keep to.
  private var wantedColumn: Int?

  /// Creates a pane that shows the beginning of a text.
  init(of text: some ReplicatedTextProtocol, columns: Int, rows: Int) {
    size = (columns, rows)
    caret = text.anchor(at: text.startIndex, .after)
    top = text.anchor(at: text.startIndex, .after)
  }

  /// The rows for the text.
  var rows: Int { max(size.rows - 1, 1) }
}

extension TextPane {
  /// A position by its line.
  struct Position {
    var line: Int
    /// In the line, in UTF-8.
    var offset: Int
    /// Where the line begins, in UTF-8.
    var lineStart: Int
    var layout: LineLayout

    init(_ index: ReplicatedText.Index, in text: some ReplicatedTextProtocol) {
      line = text.offset(of: index, in: .lines)
      lineStart = text.lineStart(line)
      offset = text.offset(of: index, in: .utf8) - lineStart
      layout = LineLayout(text.line(line))
    }

    var column: Int { layout.column(of: offset) }
  }

  func position(in text: some ReplicatedTextProtocol) -> Position {
    Position(text.index(of: caret) ?? text.index(lastOffset, in: .utf8), in: text)
  }

  /// Moves the caret to an offset in UTF-8.
  mutating func moveCaret(to offset: Int, in text: some ReplicatedTextProtocol) {
    let index = text.index(offset, in: .utf8)
    caret = text.anchor(at: index, .after)
    lastOffset = offset
    wantedColumn = nil
  }

  /// Does what a key says where it only moves the caret; returns what else it asks for.
  mutating func take(_ key: Key, in text: some ReplicatedTextProtocol) -> Action? {
    let place = position(in: text)
    let caret = place.lineStart + place.offset
    switch key {
    case .text(let string), .paste(let string): return .replace(caret..<caret, string)
    case .enter: return .replace(caret..<caret, "\n")
    case .tab: return .replace(caret..<caret, "\t")
    case .backspace:
      let start = offset(before: place)
      return start < caret ? .replace(start..<caret, "") : nil
    case .delete:
      let end = offset(after: place, in: text)
      return end > caret ? .replace(caret..<end, "") : nil
    case .left: moveCaret(to: offset(before: place), in: text)
    case .right: moveCaret(to: offset(after: place, in: text), in: text)
    case .home, .control("a"): moveCaret(to: place.lineStart, in: text)
    case .end, .control("e"): moveCaret(to: place.lineStart + place.layout.length, in: text)
    case .up: moveCaret(by: -1, from: place, in: text)
    case .down: moveCaret(by: 1, from: place, in: text)
    case .pageUp: moveCaret(by: -max(rows - 1, 1), from: place, in: text)
    case .pageDown: moveCaret(by: max(rows - 1, 1), from: place, in: text)
    case .control("z"): return .undo
    case .control("y"): return .redo
    case .control("s"): return .save
    case .control("l"): return .redraw
    case .control("q"): return .quit
    case .control: break
    }
    return nil
  }

  /// The position before the character before the caret.
  private func offset(before place: Position) -> Int {
    if let cell = place.layout.cell(before: place.offset) {
      return place.lineStart + cell.offsets.lowerBound
    }
    return max(place.lineStart - 1, 0)
  }

  /// The position after the character after the caret.
  private func offset(after place: Position, in text: some ReplicatedTextProtocol) -> Int {
    if let cell = place.layout.cell(at: place.offset) {
      return place.lineStart + cell.offsets.upperBound
    }
    return min(place.lineStart + place.offset + 1, text.count(in: .utf8))
  }

  private mutating func moveCaret(
    by lines: Int, from place: Position, in text: some ReplicatedTextProtocol
  ) {
    let column = wantedColumn ?? place.column
    let line = min(max(place.line + lines, 0), text.count(in: .lines) - 1)
    let offset = LineLayout(text.line(line)).offset(at: column)
    moveCaret(to: text.lineStart(line) + offset, in: text)
    wantedColumn = column
  }
}

extension TextPane {
  /// The line in the first row.
  func topLine(in text: some ReplicatedTextProtocol) -> Int {
    text.offset(of: text.index(of: top) ?? text.startIndex, in: .lines)
  }

  /// Scrolls so far that the caret is in sight.
  mutating func scrollToCaret(in text: some ReplicatedTextProtocol) {
    let place = position(in: text)
    // The anchor may be unknown later.
    lastOffset = place.lineStart + place.offset
    let line = topLine(in: text)
    let first = min(max(line, place.line - rows + 1), place.line)
    // The first row keeps to its own first character, not to the line before.
    if first != line || text.index(of: top) == nil {
      top = first == 0 ? text.startAnchor : text.anchor(at: text.index(first, in: .lines), .before)
    }
    let width = place.layout.cell(at: place.offset)?.shown.columns ?? 1
    let column = place.column
    if column + width > firstColumn + size.columns {
      firstColumn = column + width - size.columns
    }
    firstColumn = min(firstColumn, column)
  }
}

extension ReplicatedTextProtocol {
  /// The anchor before all that is written.
  fileprivate var startAnchor: Anchor { anchor(at: startIndex, .after) }
}
