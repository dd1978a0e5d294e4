extension Document.Editor {
  /// Removes from the texts of a record what an authority has inserted twice, because two
  /// replicas have received it from the authority before they met; returns whether there was
  /// any.
  ///
  /// Whoever does so removes the same, so it doesn't matter how many replicas do.
  ///
  /// - Complexity: Expected O(rows of the record, and length of its texts).
  @discardableResult
  package mutating func removeRepeats(
    of authority: ReplicaID, in record: String, of collection: String
  ) -> Bool {
    guard contains(record, in: collection) else { return false }
    let place = openRecord(record, in: collection)
    table.prepareGroups()
    var keys: [Dot: Document.RowKey] = [:]
    for dot in table.dots(under: place.hash, where: { $0.place.isWithin(place) }) {
      guard let row = table.row(at: dot), case .text = row.payload.content else { continue }
      keys[row.key.textStart] = row.key
    }
    let before = table.eventCount
    for (start, key) in keys.sorted(by: { $0.key < $1.key }) {
      let repeated = table.repeatedElements(ofTextAt: start) {
        $0.isDelegate && $0.principal == authority
      }
      if repeated.isEmpty { continue }
      // As each edit of a text, so that the record is known to have changed.
      table.write(row(key, .text), by: replica, killing: dots(of: key))
      table.removeElements(repeated, by: replica)
    }
    return table.eventCount != before
  }
}
