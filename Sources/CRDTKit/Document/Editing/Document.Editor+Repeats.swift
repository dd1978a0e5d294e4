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
  /// Returns the records that have a text in which a delta's authorities have written.
  ///
  /// - Complexity: O(rows of authorities in the delta).
  package static func recordsWithAuthorityTexts(
    in delta: TableDelta<Document>
  ) -> Set<RecordID> {
    var places = RecordPlaces()
    for column in delta.changes.columns where column.replica.isDelegate {
      column.forEachRow { _, row in
        if case .text = row.payload.content { places.append(row.key.place) }
      }
    }
    return places.records
  }
}
