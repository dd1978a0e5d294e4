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
  }

  /// The text of a field; `nil` if the field or the record is absent, or the field doesn't
  /// read as a text that was written as one.
  ///
  /// - Complexity: Expected O(1) for each name of the path.
  public func text(of path: FieldPath, of record: String, in collection: String) -> Text? {
    guard let target = target(of: path, of: record, in: collection) else { return nil }
    let rows = rows(of: target)
    guard case .text? = rows.shown(at: target), let start = rows.textStarts.first else {
      return nil
    }
    return Text(_table: _table, _start: start)
  }
}
