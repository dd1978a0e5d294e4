/// Where a table has the rows of the marks of one of its texts.
protocol TextMarks<Key, Payload> {
  associatedtype Key: Hashable & CanonicalCodable
  associatedtype Payload: CanonicalCodable

  /// What the first characters of the text are anchored to.
  var start: Dot { get }

  /// Whether the text has no rows of marks.
  func isEmpty(in table: DotTable<Key, Payload>) -> Bool

  /// Calls the body with the rows of a mark, or those of all, in the order of their events.
  func forEachEntry(
    of key: ReplicatedText.MarkKey?, in table: DotTable<Key, Payload>, _ body: (MarkEntry) -> Void)

  /// Returns the row that a table has for one of a mark.
  func row(
    _ mark: ReplicatedText.MarkRow, of key: ReplicatedText.MarkKey
  ) -> Row<Key, Payload>
}

extension TextMarks {
  /// The rows of a mark, or those of all, in the order of their events.
  func entries(
    of key: ReplicatedText.MarkKey? = nil, in table: DotTable<Key, Payload>
  ) -> [MarkEntry] {
    var entries: [MarkEntry] = []
    forEachEntry(of: key, in: table) { entries.append($0) }
    return entries
  }
}

/// A row of a mark, with its event.
struct MarkEntry {
  let dot: Dot
  let key: ReplicatedText.MarkKey
  let row: ReplicatedText.MarkRow
  /// When it was written; 0 where rows have no time.
  var time: UInt64 = 0

  /// Whether the row counts where another has the same mark.
  ///
  /// The time comes before the event, as rows of a document get other events when their times
  /// are made good, and times in the same order.
  func counts(before other: MarkEntry) -> Bool {
    (row.stamp, time, dot) > (other.row.stamp, other.time, other.dot)
  }
}

/// The marks of a table's only text: all of its rows.
struct OnlyTextMarks: TextMarks {
  typealias Table = DotTable<ReplicatedText.MarkKey, ReplicatedText.MarkRow>

  var start: Dot { .none }

  func isEmpty(in table: Table) -> Bool { table.rowCount == 0 }

  func forEachEntry(
    of key: ReplicatedText.MarkKey?, in table: Table, _ body: (MarkEntry) -> Void
  ) {
    guard let key else {
      return table.forEachRow { dot, row in
        body(MarkEntry(dot: dot, key: row.key, row: row.payload))
      }
    }
    for dot in table.dots(of: key) {
      if let row = table.row(at: dot) { body(MarkEntry(dot: dot, key: key, row: row.payload)) }
    }
  }

  func row(
    _ mark: ReplicatedText.MarkRow, of key: ReplicatedText.MarkKey
  ) -> Row<ReplicatedText.MarkKey, ReplicatedText.MarkRow> {
    Row(key: key, payload: mark)
  }
}
