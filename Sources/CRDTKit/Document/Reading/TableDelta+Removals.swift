extension TableDelta where Value == Document {
  /// Whether nothing is written by it: it deletes records, and removes what there is,
  /// if it remembers what it removed of counters.
  ///
  /// - Complexity: O(rows of the delta).
  package var onlyRemoves: Bool {
    var onlyRemoves = true
    for column in changes.columns {
      column.forEachRow { counter, row in
        if counter > changes.base[column.replica], !row.isRemoval { onlyRemoves = false }
      }
    }
    return onlyRemoves
  }
}

extension Row<Document.RowKey, Document.RowPayload> {
  fileprivate var isRemoval: Bool { key.part == .deletion || payload.content.isTrace }
}
