extension UndoStack {
  /// Makes changes to a text of a document, as one step.
  ///
  /// The replica of the editor makes them. Make an undo stack for each text.
  ///
  ///     edit.editText("body", of: "n1", in: "notes") { body in
  ///       undo.edit(&body) { $0.append("Hello") }
  ///     }
  ///
  /// If `body` throws, its earlier changes remain, and are a step.
  ///
  /// - Parameters:
  ///   - text: The editor of the text.
  ///   - continuing: Whether the changes belong to the step before, as when somebody types a
  ///     word letter by letter. After an undo or a redo, they are a new step anyway.
  ///   - body: Makes the changes.
  /// - Throws: What `body` throws.
  /// - Complexity: O(pages of up to 1,024 events) and the complexity of `body`.
  public mutating func edit<Failure: Error>(
    _ text: inout Document.TextEditor, continuing: Bool = false,
    _ body: (inout Document.TextEditor) throws(Failure) -> Void
  ) throws(Failure) {
    let before = text.table
    defer { record(from: before, to: text.table, continuing: continuing) }
    try body(&text)
  }

  /// Undoes the last step that isn't undone, and of which something is left to undo.
  ///
  /// - Returns: Where text was put back; an empty range where some was only removed; `nil` if
  ///   there was nothing to undo.
  /// - Complexity: O(pages of up to 1,024 events), and O(m log n) for m characters of the step
  ///   and n of the document.
  @discardableResult
  public mutating func undo(in text: inout Document.TextEditor) -> Range<ReplicatedText.Index>? {
    undo(&text.table, at: text.start, by: text.replica)
  }

  /// Redoes the step that was undone last, and of which something is left to redo.
  ///
  /// - Returns: Where text was put back; an empty range where some was only removed; `nil` if
  ///   there was nothing to redo.
  /// - Complexity: As that of an undo.
  @discardableResult
  public mutating func redo(in text: inout Document.TextEditor) -> Range<ReplicatedText.Index>? {
    redo(&text.table, at: text.start, by: text.replica)
  }
}
