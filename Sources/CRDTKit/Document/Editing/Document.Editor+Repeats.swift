extension Document.Editor {
  /// Removes from the texts of a record what an authority has inserted twice, because two
  /// replicas have received it from the authority before they met.
  ///
  /// Whoever does so removes the same, so it doesn't matter how many replicas do.
  ///
  /// - Complexity: Expected O(rows of the record, and length of its texts).
  package mutating func removeRepeats(
    of authority: ReplicaID, in record: String, of collection: String
  ) {
    guard contains(record, in: collection) else { return }
    // The record isn't opened: that would take its deletions as seen.
    noteOpenRecord()
    let place = Document.Place(record: record, in: collection)
    table.prepareGroups()
    var starts: Set<Dot> = []
    for dot in table.dots(under: place.hash, where: { $0.place.isWithin(place) }) {
      guard let row = table.row(at: dot), case .text = row.payload.content else { continue }
      starts.insert(row.key.textStart)
    }
    for start in starts.sorted() {
      let repeated = table.repeatedElements(ofTextAt: start) {
        $0.isDelegate && $0.principal == authority
      }
      // Without a row for the field: nobody has changed the text, so this keeps no field or
      // record that others remove meanwhile.
      if !repeated.isEmpty { table.removeElements(repeated, by: replica) }
    }
    noteChanges(of: place)
  }
}

extension Document {
  /// Returns the records that have a text in which a delta's authorities have written, once the
  /// delta is applied.
  ///
  /// The row of a text tells who wrote there last, which may be someone else. So where a delta
  /// has elements of authorities, all its rows of texts are looked at, and the whole document is
  /// if none of them is of the elements' text.
  ///
  /// - Complexity: O(rows and runs of the delta), if the order of texts is known; O(rows of the document) if it is looked at.
  package func recordsWithAuthorityTexts(in delta: TableDelta<Document>) -> Set<RecordID> {
    var written: Set<Dot> = []
    _table.withOrder { order in
      for column in delta.changes.columns where column.replica.isDelegate {
        for page in column.texts.pages {
          page.forEachPiece(of: page.present & ~page.dead) { slots in
            // The elements of lists have no text.
            guard page.texted[slots.lowerBound] else { return }
            let dot = Dot(column.replica, page.counter(at: slots.lowerBound))
            if let start = order.start(ofTextWith: dot) { written.insert(start) }
          }
        }
      }
    }
    var places = RecordPlaces()
    var found: Set<Dot> = []
    func note(_ row: Row<RowKey, RowPayload>, isByAuthority: Bool) {
      guard case .text = row.payload.content else { return }
      guard isByAuthority || written.contains(row.key.textStart) else { return }
      found.insert(row.key.textStart)
      places.append(row.key.place)
    }
    for column in delta.changes.columns {
      column.forEachRow { note($1, isByAuthority: column.replica.isDelegate) }
    }
    if !written.isSubset(of: found) { _table.forEachRow { note($1, isByAuthority: false) } }
    return places.records
  }
}
