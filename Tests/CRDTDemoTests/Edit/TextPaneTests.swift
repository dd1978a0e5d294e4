import CRDTKit
import CRDTStoreTesting
import Testing

@testable import Toolkit
@testable import crdt_demo

@Suite("The pane of an editor")
struct TextPaneTests {
  private static let (mine, theirs) = (ReplicaID.random(), ReplicaID.random())

  /// A text with a pane, as an editor has them.
  private struct Editor {
    var text: ReplicatedText
    var pane: TextPane

    init(_ string: String, columns: Int = 20, rows: Int = 5) {
      text = ReplicatedText(string, by: TextPaneTests.theirs)
      pane = TextPane(of: text, columns: columns, rows: rows)
    }

    mutating func press(_ keys: Key...) {
      for key in keys {
        guard case .replace(let range, let string)? = pane.take(key, in: text) else { continue }
        let indices =
          text.index(range.lowerBound, in: .utf8)..<text.index(range.upperBound, in: .utf8)
        text.replaceSubrange(indices, with: string, by: TextPaneTests.mine)
        pane.moveCaret(to: range.lowerBound + string.utf8.count, in: text)
      }
    }

    mutating func image(_ others: [TextPane.OtherCaret] = []) -> ScreenImage {
      pane.scrollToCaret(in: text)
      return pane.image(of: text, others: others, name: "me", message: "")
    }

    /// The text with a mark at the caret.
    var marked: String {
      let place = pane.position(in: text)
      let index = text.index(place.lineStart + place.offset, in: .utf8)
      return text[text.startIndex..<index] + "|" + text[index..<text.endIndex]
    }
  }

  @Test("moves by characters and lines, and writes at the caret")
  func keys() {
    let steps: [(Key, String)] = [
      (.left, "|ab\n\nlong e\u{301}x\n"), (.right, "a|b\n\nlong e\u{301}x\n"),
      (.down, "ab\n|\nlong e\u{301}x\n"), (.down, "ab\n\nl|ong e\u{301}x\n"),
      (.end, "ab\n\nlong e\u{301}x|\n"), (.left, "ab\n\nlong e\u{301}|x\n"),
      (.left, "ab\n\nlong |e\u{301}x\n"), (.up, "ab\n|\nlong e\u{301}x\n"),
      (.down, "ab\n\nlong |e\u{301}x\n"), (.delete, "ab\n\nlong |x\n"),
      (.backspace, "ab\n\nlong|x\n"), (.home, "ab\n\n|longx\n"), (.backspace, "ab\n|longx\n"),
      (.text("漢"), "ab\n漢|longx\n"), (.backspace, "ab\n|longx\n"), (.left, "ab|\nlongx\n"),
      (.delete, "ab|longx\n"), (.enter, "ab\n|longx\n"), (.tab, "ab\n\t|longx\n"),
      (.pageDown, "ab\n\tlongx\n|"), (.right, "ab\n\tlongx\n|"), (.delete, "ab\n\tlongx\n|"),
      (.paste("p\nq"), "ab\n\tlongx\np\nq|"), (.pageUp, "a|b\n\tlongx\np\nq"),
      (.up, "a|b\n\tlongx\np\nq"), (.home, "|ab\n\tlongx\np\nq"),
      (.backspace, "|ab\n\tlongx\np\nq"), (.up, "|ab\n\tlongx\np\nq"),
      (.control("e"), "ab|\n\tlongx\np\nq"), (.control("x"), "ab|\n\tlongx\np\nq"),
    ]
    var editor = Editor("ab\n\nlong e\u{301}x\n")
    for (number, (key, marked)) in steps.enumerated() {
      editor.press(key)
      #expect(editor.marked == marked, "step \(number), \(key)")
    }
    #expect(editor.pane.take(.control("q"), in: editor.text) == .quit)
    #expect(editor.pane.take(.control("z"), in: editor.text) == .undo)
  }

  @Test("agrees with a plain model of characters, whatever is pressed")
  func model() {
    let letters = ["a", "é", "e\u{301}", "漢", "👩‍👩‍👧", "\t", "\u{7}"].map { Key.text($0) }
    let keys: [Key] = letters + [.enter, .left, .right, .left, .backspace, .delete, .home, .end]
    for seed in 0..<30 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var editor = Editor("")
      var (lines, line, column): ([[Character]], Int, Int) = ([[]], 0, 0)
      for step in 0..<60 {
        let key = keys[Int.random(in: keys.indices, using: &random)]
        editor.press(key)
        switch key {
        case .text(let text):
          lines[line].insert(Character(text), at: column)
          column += 1
        case .enter:
          lines.insert(Array(lines[line][column...]), at: line + 1)
          lines[line].removeSubrange(column...)
          (line, column) = (line + 1, 0)
        case .left where column > 0: column -= 1
        case .left where line > 0: (line, column) = (line - 1, lines[line - 1].count)
        case .right where column < lines[line].count: column += 1
        case .right where line + 1 < lines.count: (line, column) = (line + 1, 0)
        case .backspace where column > 0:
          column -= 1
          lines[line].remove(at: column)
        case .backspace where line > 0:
          column = lines[line - 1].count
          lines[line - 1] += lines.remove(at: line)
          line -= 1
        case .delete where column < lines[line].count: lines[line].remove(at: column)
        case .delete where line + 1 < lines.count: lines[line] += lines.remove(at: line + 1)
        case .home: column = 0
        case .end: column = lines[line].count
        default: break
        }
        var marked = lines.map { String($0) }
        marked[line] = String(lines[line][..<column]) + "|" + String(lines[line][column...])
        #expect(editor.marked == marked.joined(separator: "\n"), "seed \(seed), step \(step)")
      }
    }
  }

  @Test("stays where it is in the text, whatever others write before it")
  func anchors() {
    var editor = Editor((1...20).map { "line \($0)\n" }.joined())
    for _ in 0..<10 { editor.press(.down) }
    editor.press(.end)
    let before = editor.image()
    #expect(before.rows.map(\.text)[..<4] == ["line 8", "line 9", "line 10", "line 11"])
    let copy = editor.text
    editor.text.insert("new\nnew\n", at: editor.text.startIndex, by: Self.theirs)
    editor.text.insert("!", at: editor.text.index(12, in: .lines), by: Self.theirs)
    #expect(editor.marked.contains("\n!line 11|\n"))
    var after = editor.image()
    #expect(after.rows.map(\.text)[..<4] == ["line 8", "line 9", "line 10", "!line 11"])
    #expect(after.cursor == (3, 8))
    // What others write at the caret comes after it.
    let end = editor.text.index(13, in: .lines)
    editor.text.insert(
      "?",
      at: editor.text.index(
        editor.text.offset(of: end, in: .utf8) - 1, in: .utf8), by: Self.theirs)
    #expect(editor.marked.contains("\n!line 11|?\n"))
    // All is removed: the caret is where it was.
    editor.text.removeAll(by: Self.theirs)
    after = editor.image()
    #expect(editor.marked == "|" && after.rows[0].text == "" && after.rows[1].text == "~")
    // A text that doesn't know the anchor, as after a fork was mended.
    editor.text = copy
    editor.pane.moveCaret(to: copy.count(in: .utf8), in: copy)
    _ = editor.image()
    editor.text = ReplicatedText("other\ntext", by: Self.theirs)
    #expect(editor.image().cursor == (1, 4) && editor.marked == "other\ntext|")
  }

  @Test("shows lines in columns, and the carets of others")
  func drawing() {
    var editor = Editor("\tx\n漢字e\u{301}!\n\u{1B}[31m\u{202E}\n0123456789abcdefghijklm", rows: 6)
    let carets = [2, 12, 40, 41].map { offset in
      TextPane.OtherCaret(
        name: "n\(offset)",
        anchor: editor.text.anchor(
          at: editor.text.index(offset, in: .utf8), .after), color: offset)
    }
    var image = editor.image(Array(carets[..<2]))
    #expect(
      image.rows.map(\.text) == [
        "        x ", "漢字e\u{301}!", "^[[31m\\u{202e}", "0123456789abcdefghij", "~",
        image.rows[5].text,
      ])
    #expect(image.rows[0].texts(.colored(2)) == [" "] && image.rows[1].texts(.colored(12)) == ["!"])
    #expect(image.rows.allSatisfy { $0.columns <= 20 } && image.rows[5].columns == 20)
    #expect(image.rows[5].text.hasPrefix(" me ") && image.rows[5].text.hasSuffix(" 1:1 of 4 "))
    editor.press(.down, .right)
    #expect(editor.image().cursor == (1, 2))
    editor.press(.right, .right)
    #expect(editor.image().cursor == (1, 5))
    // Lines are cut, and follow the caret.
    editor.press(.down, .down, .end)
    image = editor.image()
    #expect(image.rows[3].text == "456789abcdefghijklm" && image.cursor == (3, 19))
    #expect(image.rows[0].text == "    x" && image.rows[1].text == "e\u{301}!".suffix(2))
    #expect(editor.pane.firstColumn == 4)
    editor.press(.home)
    #expect(editor.image().rows[3].text == "0123456789abcdefghij" && editor.pane.firstColumn == 0)
    // A small terminal.
    editor.pane.size = (1, 1)
    #expect(editor.image().rows.count == 2)
  }

  @Test("is drawn by what is different")
  func bytes() {
    var editor = Editor("a\nb", columns: 12, rows: 3)
    let first = editor.image()
    let drawn = String(decoding: first.bytes(after: nil, isColored: true), as: UTF8.self)
    #expect(drawn.contains("\u{1B}[2J") && drawn.contains("\u{1B}[1;1H\u{1B}[2Ka"))
    editor.press(.down, .text("x"))
    let second = editor.image()
    let changed = String(decoding: second.bytes(after: first, isColored: true), as: UTF8.self)
    #expect(!changed.contains("\u{1B}[1;1H") && changed.contains("\u{1B}[2;1H\u{1B}[2Kxb"))
    #expect(changed.hasSuffix("\u{1B}[2;2H\u{1B}[?25h"))
  }
}
