extension Document.Editor {
  /// Whether there is a record that wasn't deleted.
  public mutating func contains(_ record: String, in collection: String) -> Bool {
    state(of: Document.Place(record: record, in: collection, near: self.record)).isPresent
  }

  private mutating func state(of place: Document.Place) -> Document.RecordState {
    // Only a deleted record is looked at row by row.
    if !table.dotsForChange(of: Document.RowKey(place, .deletion)).isEmpty {
      table.prepareGroups()
    }
    let rule = schema.collections[place.collection]?.deletion ?? .updateWins
    return table.state(of: place, under: rule, seeing: isSeen)
  }

  /// Deletes a record; says whether there was one.
  ///
  /// It can be restored until it is purged. Whether a change made concurrently
  /// keeps it is for the collection's ``DeletionRule`` to say.
  ///
  /// - Complexity: Expected O(rows of the record).
  @discardableResult
  public mutating func delete(_ record: String, in collection: String) -> Bool {
    let place = Document.Place(record: record, in: collection, near: self.record)
    guard state(of: place).isPresent else { return false }
    noteOpenRecord()
    let deletion = row(Document.RowKey(place, .deletion), .deletion(versionSeen(of: place)))
    rewrite(deletion.key) { _, _ in deletion }
    noteChanges(of: place)
    self.record = nil
    return true
  }

  /// Brings a deleted record back as it was; says whether there was one.
  @discardableResult
  public mutating func restore(_ record: String, in collection: String) -> Bool {
    let place = Document.Place(record: record, in: collection, near: self.record)
    guard case .deleted = state(of: place) else { return false }
    noteOpenRecord()
    removeAll(of: Document.RowKey(place, .deletion))
    noteChanges(of: place)
    return true
  }
}
