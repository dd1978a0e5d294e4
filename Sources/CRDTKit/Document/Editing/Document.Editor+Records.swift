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

  /// Removes for good what was deleted so long ago, 30 days unless given otherwise.
  ///
  /// The editor's stamp is taken for now; nothing is purged by itself. Rows of a
  /// record that was purged elsewhere, left by a replica that had not seen it
  /// deleted, go too when they are as old.
  ///
  /// A replica that was away for longer can't bring back half a record, but what it
  /// wrote to it is not shown. If that is not to happen, say what all replicas have
  /// seen: a record is purged only when they have seen it deleted.
  ///
  /// - Parameters:
  ///   - retention: How long ago a record must have been deleted.
  ///   - version: What every replica has seen: what isn't wholly in it, the deletion
  ///     and all rows of the record, is not purged yet. Count for each replica what
  ///     it had seen at some moment, once all that it wrote until then is here.
  ///     Without a version nobody is waited for.
  /// - Returns: How many records were purged.
  /// - Complexity: O(number of rows).
  @discardableResult
  public mutating func purge(
    retention: Duration = .seconds(30 * 86_400), seenByAll version: VersionVector? = nil
  ) -> Int {
    noteOpenRecord()
    let cutoff = cutoff(of: retention)
    var records: [Document.Place: ContiguousArray<Dot>] = [:]
    var order: [Document.Place] = []
    table.forEachRow { dot, row in
      let place = row.key.place.root
      if records[place] == nil { order.append(place) }
      records[place, default: []].append(dot)
    }
    var purged = 0
    for place in order {
      guard let dots = records[place], version.map(dots.areSeen) ?? true,
        isOver(place, dots, before: cutoff)
      else { continue }
      table.remove(dots, by: replica)
      noteChanges(of: place)
      purged += 1
    }
    record = nil
    return purged
  }

  /// The milliseconds before which a deletion is purged; none where the retention
  /// goes back beyond all time.
  private func cutoff(of retention: Duration) -> UInt64 {
    UInt64(clamping: Int128(timestamp.milliseconds) - retention.wholeMilliseconds)
  }

  private mutating func isOver(
    _ place: Document.Place, _ dots: ContiguousArray<Dot>, before cutoff: UInt64
  ) -> Bool {
    switch state(of: place) {
    case .present: false
    case .deleted(let stamp): stamp.milliseconds < cutoff
    case .absent:
      dots.allSatisfy { dot in
        table.row(at: dot).map { $0.payload.time >> 16 < cutoff } ?? true
      }
    }
  }
}

extension ContiguousArray<Dot> {
  /// Whether a version has seen them all.
  fileprivate func areSeen(by version: VersionVector) -> Bool {
    allSatisfy { version.contains($0) }
  }
}

extension Document.Place: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }

  /// The place of the record.
  var root: Document.Place {
    var place = self
    while let parent = place.parent { place = parent }
    return place
  }
}
