extension Document {
  /// The rows of the marks of a text, which are beneath its field.
  ///
  /// Fields whose names are spelled differently and are equal have different texts, and marks of
  /// their own: those whose place has the bytes of the text's.
  struct TextMarks: CRDTKit.TextMarks {
    let start: Dot
    /// The place of the field's content, spelled as in the start.
    private let place: Place
    /// The time at which rows are written.
    private let time: UInt64

    /// Creates the marks of the text that a field with the key holds.
    init(of key: RowKey, at start: Dot, writtenAt time: UInt64 = 0) {
      self.start = start
      self.time = time
      place = key.place.appending(key.fieldName ?? "")
    }

    func isEmpty(in table: DotTable<RowKey, RowPayload>) -> Bool {
      var isEmpty = true
      forEachEntry(of: nil, in: table) { _ in isEmpty = false }
      return isEmpty
    }

    func forEachEntry(
      of key: ReplicatedText.MarkKey?, in table: DotTable<RowKey, RowPayload>,
      _ body: (MarkEntry) -> Void
    ) {
      table.forEachRow(under: place.hash) { dot, row in
        guard case .mark(let name) = row.pointee.key.part,
          case .mark(let mark) = row.pointee.payload.content,
          row.pointee.key.place.isSpelled(as: place)
        else { return }
        let found = ReplicatedText.MarkKey(name: name)
        guard key == nil || key == found else { return }
        body(MarkEntry(dot: dot, key: found, row: mark, time: row.pointee.payload.time))
      }
    }

    func row(
      _ mark: ReplicatedText.MarkRow, of key: ReplicatedText.MarkKey
    ) -> Row<RowKey, RowPayload> {
      Row(key: RowKey(place, .mark(key.name)), payload: RowPayload(.mark(mark), at: time))
    }
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// The marks of a text of a field; its key may be spelled otherwise than that of the text.
  func marks(
    ofTextAt start: Dot, _ key: Document.RowKey, _ time: UInt64
  ) -> Document.TextMarks {
    var key = key
    if key.textStart != start {
      for dot in dots(of: key) {
        guard let known = row(at: dot)?.key, known.textStart == start else { continue }
        key = known
        break
      }
    }
    return Document.TextMarks(of: key, at: start, writtenAt: time)
  }
}

extension Row<Document.RowKey, Document.RowPayload> {
  /// Whether the row is of a mark of the text with a start.
  func isMark(of start: Dot) -> Bool {
    guard case .mark = key.part, let outer = key.place.parent else { return false }
    return Document.RowKey(outer, .field(key.place.name)).textStart == start
  }
}
