extension Document {
  /// Changes a text of a document.
  ///
  /// You get it in the body of ``Editor/editText(_:of:in:_:)``; you can't keep or copy it.
  public struct TextEditor: ~Copyable {
    fileprivate var table: DotTable<RowKey, RowPayload>
    fileprivate let start: Dot
    /// The replica that makes the changes.
    public let replica: ReplicaID
  }
}

extension Document.TextEditor {
  /// The text, with the changes made so far.
  ///
  /// Its indices can be passed to this editor until the next change.
  public var text: Document.Text { Document.Text(_table: table, _start: start) }

  /// Inserts a string at a position.
  ///
  /// - Precondition: The index is of the text in its present state.
  public mutating func insert(_ string: String, at index: ReplicatedText.Index) {
    let place = absolute(index..<index)
    table.insertText(string, at: place.lowerBound, inTextAt: start, by: replica)
  }

  /// Adds a string at the end.
  public mutating func append(_ string: String) {
    let end = table.textRange(at: start).upperBound
    table.insertText(string, at: end, inTextAt: start, by: replica)
  }

  /// Removes the characters between two positions, in one event.
  ///
  /// - Precondition: The indices are of the text in its present state.
  public mutating func removeSubrange(_ range: Range<ReplicatedText.Index>) {
    table.removeText(absolute(range), by: replica)
  }

  /// Replaces the characters between two positions.
  ///
  /// - Precondition: The indices are of the text in its present state.
  public mutating func replaceSubrange(
    _ range: Range<ReplicatedText.Index>, with string: String
  ) {
    table.replaceText(absolute(range), with: string, inTextAt: start, by: replica)
  }

  /// Makes the text equal to a string by small edits.
  public mutating func set(to string: String) {
    table.setText(to: string, at: start, by: replica)
  }

  /// The offsets of two positions among all texts of the table.
  private func absolute(_ range: Range<ReplicatedText.Index>) -> Range<Int> {
    let lower = table.textRange(at: start).lowerBound
    let range = table.checked(range)
    return lower + range.lowerBound..<lower + range.upperBound
  }
}

extension Document.Editor {
  /// Changes a text at positions, as a text view tells them.
  ///
  ///     edit.editText("body", of: "n1", in: "notes") { body in
  ///       body.insert("Hello", at: body.text.startIndex)
  ///     }
  ///
  /// A field without a text becomes one. A string that is there is its first content; any
  /// other value is replaced. The field should have the rule ``Schema/FieldRule/text``.
  ///
  /// - Precondition: The path has 1 to 32 names; each has at most
  ///   ``Document/Value/maximumNameLength`` bytes.
  /// - Complexity: Expected O(1) for each name of the path, and the cost of `body`.
  public mutating func editText<Failure: Error>(
    _ path: FieldPath, of record: String, in collection: String,
    _ body: (inout Document.TextEditor) throws(Failure) -> Void
  ) throws(Failure) {
    let target = open(path, of: record, in: collection)
    var rows = rows(of: target)
    if !rows.isTextAlone {
      var content = ""
      if case .value(.string(let string))? = rows.shown(at: target) { content = string }
      let start = openText(target, rows)
      table.insertText(
        content, at: table.textRange(at: start).upperBound, inTextAt: start, by: replica)
      rows = self.rows(of: target)
    }
    guard let start = rows.textStarts.first else { return }
    let before = table.eventCount
    // Only the text's editor holds the table meanwhile, so changes are made in place.
    var editor = Document.TextEditor(table: table, start: start, replica: replica)
    table = DotTable()
    defer {
      swap(&table, &editor.table)
      if table.eventCount != before { _ = openText(target, self.rows(of: target)) }
    }
    try body(&editor)
  }
}
