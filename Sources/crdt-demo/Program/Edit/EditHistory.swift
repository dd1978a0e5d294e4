import CRDTKit

/// What was typed here, to undo and redo it in steps.
struct EditHistory {
  private var stack: UndoStack
  /// What the last edit was, and where the caret was then, if the edit may still grow.
  private var growing: (kind: Kind, caret: ReplicatedText.Anchor)?

  private enum Kind {
    case insertion, removal, replacement
  }

  init(of replica: ReplicaID) {
    stack = UndoStack(for: replica)
  }
}

extension EditHistory {
  /// Ends the last edit: the next one is undone by itself.
  mutating func endEdit() {
    growing = nil
  }

  /// Replaces a range of a text, in UTF-8, and returns where the caret is then.
  ///
  /// What is typed on one line is one edit, and so is what is removed character by character.
  mutating func replace(
    _ range: Range<Int>, with string: String, in text: inout Document.TextEditor
  ) -> Int {
    let kind: Kind = string.isEmpty ? .removal : range.isEmpty ? .insertion : .replacement
    stack.edit(&text, continuing: continues(kind, at: range, of: text.text)) { text in
      let shown = text.text
      let start = shown.index(range.lowerBound, in: .utf8)
      text.replaceSubrange(start..<shown.index(range.upperBound, in: .utf8), with: string)
    }
    let (shown, caret) = (text.text, range.lowerBound + string.utf8.count)
    growing =
      string.contains("\n") ? nil : (kind, shown.anchor(at: shown.index(caret, in: .utf8), .after))
    return caret
  }

  /// Whether an edit goes on with the last one.
  private func continues(_ kind: Kind, at range: Range<Int>, of text: Document.Text) -> Bool {
    guard let growing, let index = text.index(of: growing.caret) else { return false }
    let caret = text.offset(of: index, in: .utf8)
    return switch kind {
    case .insertion: growing.kind != .removal && range.lowerBound == caret
    case .removal:
      growing.kind == .removal && (range.lowerBound == caret || range.upperBound == caret)
    case .replacement: false
    }
  }

  /// Undoes the last edit that isn't undone; returns where the caret is then, `nil` if there is
  /// none.
  mutating func undo(in text: inout Document.TextEditor) -> Int? {
    endEdit()
    return stack.undo(in: &text).map { text.text.offset(of: $0.upperBound, in: .utf8) }
  }

  /// Does the last undone edit again, unless something else was written since; returns where
  /// the caret is then.
  mutating func redo(in text: inout Document.TextEditor) -> Int? {
    endEdit()
    return stack.redo(in: &text).map { text.text.offset(of: $0.upperBound, in: .utf8) }
  }
}
