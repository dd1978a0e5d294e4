extension Document.Editor {
  /// Writes anew what the rows of a delta say, as changes made now: for deltas that
  /// can't be taken in any more, since what they build on is lost.
  ///
  /// Values, elements, records and deletions are written; what replicas had counted
  /// is not, since how much of it is known already can't be told.
  ///
  /// - Returns: Whether all rows could be written anew.
  /// - Complexity: O(rows of the delta), each as an edit.
  package mutating func rewrite(_ delta: TableDelta<Document>) -> Bool {
    var isWhole = true
    for column in delta.changes.columns where column.seen > delta.changes.base[column.replica] {
      column.forEachRow { _, row in
        if !rewrite(row) { isWhole = false }
      }
    }
    return isWhole
  }

  private mutating func rewrite(_ row: Row<Document.RowKey, Document.RowPayload>) -> Bool {
    let place = row.key.place
    switch (row.key.part, row.payload.content) {
    case (.existence, _):
      create(place.record, in: place.collection)
    case (.deletion, _):
      delete(place.record, in: place.collection)
    case (.field(let name), .value(let value)), (.field(let name), .revision(let value, of: _)):
      set(place.path.appending(name), of: place.record, in: place.collection, to: value)
    case (.element(let element), _) where !place.path.names.isEmpty:
      insert(element, into: place.path, of: place.record, in: place.collection)
    case (.field, .object), (.field, .set):
      // What stands beneath has rows of its own, which make them.
      break
    case (.element, _), (.field, _):
      return false
    }
    return true
  }
}
