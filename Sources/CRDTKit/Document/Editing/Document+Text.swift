extension Document {
  /// A text of a document, in one of its states: to be shown and edited in a text view.
  ///
  ///     let body = notes.text(of: "body", of: "n1", in: "notes")
  ///     body?.count(in: .utf16)
  ///
  /// It holds a copy of the document, which costs little. To change the text, use
  /// ``Editor/editText(_:of:in:_:)``, or set the field to a string.
  public struct Text: ReplicatedTextProtocol {
    /// The document's table.
    public let _table: DotTable<RowKey, RowPayload>
    /// What the first characters of the text are anchored to.
    public let _start: Dot
    /// The marks of the text.
    let marks: TextMarks

    /// Calls the body with the rows of a mark, or those of all marks.
    public func _forEachMark(
      named name: String?,
      _ body: (Dot, ReplicatedText.MarkKey, ReplicatedText.MarkRow, UInt64) -> Void
    ) {
      marks.forEachEntry(of: name.map(ReplicatedText.MarkKey.init(name:)), in: _table) {
        body($0.dot, $0.key, $0.row, $0.time)
      }
    }
  }

  /// The text of a field; `nil` if the field or the record is absent, or the field doesn't
  /// read as a text that was written as one.
  ///
  /// It is also `nil` if the field's name was spelled in two normalizations by writers who
  /// didn't know of each other: until the next edit, the field shows two texts.
  ///
  /// - Complexity: Expected O(1) for each name of the path.
  public func text(of path: FieldPath, of record: String, in collection: String) -> Text? {
    guard let target = target(of: path, of: record, in: collection) else { return nil }
    let rows = rows(of: target)
    guard case .text? = rows.shown(at: target), rows.textStarts.count == 1 else { return nil }
    let start = rows.textStarts[0]
    return Text(
      _table: _table, _start: start, marks: _table.marks(ofTextAt: start, target.key, 0))
  }
}

extension Document.Text: Equatable {
  /// Whether both read the same, to the byte, and have the same marks: spellings of "é" differ.
  ///
  /// - Complexity: O(length of both), and that of ``ReplicatedTextProtocol/runs``.
  public static func == (left: Document.Text, right: Document.Text) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
      && left.runs.elementsEqual(right.runs) { left, right in
        left.range.upperBound.offset == right.range.upperBound.offset && left.marks == right.marks
      }
  }
}

extension Document {
  /// Changes a text of a document.
  ///
  /// You get it in the body of ``Editor/editText(_:of:in:_:)``; you can't keep or copy it.
  public struct TextEditor: ~Copyable {
    var table: DotTable<RowKey, RowPayload>
    /// The marks of the text, to be written at the time of the edit.
    let marks: TextMarks
    /// The replica that makes the changes.
    public let replica: ReplicaID

    var start: Dot { marks.start }
  }
}

extension Document.TextEditor {
  /// The text, with the changes made so far.
  ///
  /// Its indices can be passed to this editor until the next change.
  public var text: Document.Text { Document.Text(_table: table, _start: start, marks: marks) }

  /// Inserts a string at a position.
  ///
  /// - Precondition: The index is of the text in its present state.
  public mutating func insert(_ string: String, at index: ReplicatedText.Index) {
    let place = absolute(index..<index)
    table.insertMarkedText(string, at: place.lowerBound, marks, by: replica)
  }

  /// Adds a string at the end.
  public mutating func append(_ string: String) {
    let end = table.textRange(at: start).upperBound
    table.insertMarkedText(string, at: end, marks, by: replica)
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
    table.replaceMarkedText(absolute(range), with: string, marks, by: replica)
  }

  /// Makes the text equal to a string by small edits.
  public mutating func set(to string: String) {
    table.setMarkedText(to: string, marks, by: replica)
  }

  /// Gives the characters between two positions a mark.
  ///
  /// See ``ReplicatedText/mark(_:as:value:growing:by:)``. Of marks with the same name that were
  /// written at the same time, and whose writers had seen as much rewriting of it, the one with
  /// the later stamp of its edit counts.
  ///
  /// - Precondition: The indices are of the text in its present state, and the name has at most
  ///   1,024 bytes in UTF-8.
  /// - Complexity: O(m log m + m log n) for n runs of characters and m marks of the text.
  public mutating func mark(
    _ range: Range<ReplicatedText.Index>, as name: String, value: String = "",
    growing growth: ReplicatedText.Growth = .atEnd
  ) {
    table.mark(
      absolute(range), as: ReplicatedText.MarkKey(name), value: value, growing: growth, in: marks,
      by: replica)
  }

  /// Takes a mark from the characters between two positions.
  ///
  /// See ``ReplicatedText/unmark(_:as:by:)``.
  ///
  /// - Precondition: As for ``mark(_:as:value:growing:)``.
  /// - Complexity: As for ``mark(_:as:value:growing:)``.
  public mutating func unmark(_ range: Range<ReplicatedText.Index>, as name: String) {
    table.unmark(absolute(range), ReplicatedText.MarkKey(name), in: marks, by: replica)
  }

  /// The offsets of two positions among all texts of the table.
  private func absolute(_ range: Range<ReplicatedText.Index>) -> Range<Int> {
    let (all, range) = (table.textRange(at: start), table.checked(range))
    precondition(range.upperBound <= all.count, "the index is of another text")
    let lower = all.lowerBound
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
    var editor = Document.TextEditor(
      table: table, marks: table.marks(ofTextAt: start, target.key, timestamp.time),
      replica: replica)
    table = DotTable()
    defer {
      swap(&table, &editor.table)
      if table.eventCount != before { _ = openText(target, self.rows(of: target)) }
    }
    try body(&editor)
  }
}
