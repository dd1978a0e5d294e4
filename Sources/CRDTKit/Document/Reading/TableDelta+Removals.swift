extension TableDelta where Value == Document {
  /// Whether nothing is written by it: it deletes records, and removes what there is.
  ///
  /// - Complexity: O(rows of the delta).
  package var onlyRemoves: Bool {
    var onlyRemoves = true
    for column in changes.columns {
      column.forEachRow { counter, row in
        if counter > changes.base[column.replica], !row.key.part.isDeletion { onlyRemoves = false }
      }
    }
    return onlyRemoves
  }
}

extension Document.RowKey.Part {
  fileprivate var isDeletion: Bool {
    if case .deletion = self { true } else { false }
  }
}
