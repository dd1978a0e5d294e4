extension Document {
  /// The records that a delta would change if it were applied now.
  ///
  /// These are the records of its new rows and of the rows that it removes. Ask before
  /// you apply the delta: afterwards the removed rows no longer show their records. If
  /// the delta doesn't fit here, the result is the records that it would change if it
  /// did.
  ///
  /// - Returns: `nil` if the delta lists living rows instead of removed ones, or an authority's
  ///   delegate removes characters of a text: then any record may change.
  /// - Complexity: Expected O(size of the delta).
  package func recordsChanged(by delta: TableDelta<Document>) -> Set<RecordID>? {
    var places = RecordPlaces()
    for column in delta.changes.columns {
      let seen = _table.seen(of: column.replica)
      guard column.seen > seen else { continue }
      guard case .kills = delta.changes.removals else { return nil }
      column.forEachRow { counter, row in
        if counter > seen, row.key != .forgottenTraces { places.append(row.key.place) }
      }
      for entry in column.kills.entries(after: seen) {
        guard let key = _table.key(at: entry.killed) else {
          // What is repeated in a text is removed without a row that says so.
          if column.replica.isDelegate, _table.texts.textElement(at: entry.killed) != nil {
            return nil
          }
          continue
        }
        if key != .forgottenTraces { places.append(key.place) }
      }
    }
    return places.records
  }

  /// Makes changes as ``edit(at:_:)`` does, and inserts the changed records into a set.
  ///
  /// They are inserted even if `body` throws, because the changes made before remain.
  ///
  /// - Complexity: O(number of replicas), plus the cost of `body`.
  @discardableResult
  package mutating func edit(
    at timestamp: HybridTimestamp, noting records: inout Set<RecordID>,
    _ body: (inout Editor) throws -> Void
  ) rethrows -> TableDelta<Document> {
    let before = _table.version
    try withEditor(at: timestamp) { editor in
      defer {
        editor.noteOpenRecord()
        records.formUnion(editor.changedPlaces.records)
      }
      try body(&editor)
    }
    return TableDelta(_table.editDelta(since: before, by: timestamp.replica))
  }
}

extension Document {
  /// The places of changed records or within them; cheap to append to.
  struct RecordPlaces {
    private var places: ContiguousArray<Place> = []

    /// Appends a place, unless it is the same as the last.
    mutating func append(_ place: Place) {
      if places.last !== place { places.append(place) }
    }

    /// The starts of the lists at the places, each once.
    var listStarts: [Dot] {
      Set(places.lazy.map(\.listStart)).sorted()
    }

    /// The records, each once.
    var records: Set<RecordID> {
      var records: Set<RecordID> = []
      var last: Place?
      for place in places {
        // Consecutive places are mostly in one record, and share its name.
        if let last, last.record.isSpelled(as: place.record),
          last.collection.isSpelled(as: place.collection)
        {
          continue
        }
        records.insert(RecordID(place))
        last = place
      }
      return records
    }
  }
}

extension Document.Editor {
  /// Notes the events since the last note as changes of the current record, before
  /// another is changed.
  mutating func noteOpenRecord() {
    guard let record else {
      assert(table.eventCount == notedEvents, "events of no record")
      return
    }
    noteChanges(of: record)
  }

  /// Notes the events since the last note, if any, as changes of a record or of an object
  /// in it.
  mutating func noteChanges(of place: Document.Place) {
    guard table.eventCount != notedEvents else { return }
    notedEvents = table.eventCount
    changedPlaces.append(place)
  }
}

extension Document.RowKey {
  /// The record that the row is part of.
  package var record: Document.RecordID { Document.RecordID(place) }
}

extension DotTable {
  /// The key of the live row born at a dot.
  fileprivate func key(at dot: Dot) -> Key? {
    guard let place = column(of: dot.replica), let found = columns[place].find(dot.counter)
    else { return nil }
    return columns[place].pageSlots[found.pageSlot].page.key(at: found.slot)
  }
}

extension TableDelta where Value == Document {
  /// Whether the delta writes nothing: it only deletes records and removes rows, perhaps
  /// leaving traces of counters.
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

extension TableDelta where Value == Document {
  /// The greatest stamp of the delta's new rows; `nil` if they have none.
  ///
  /// Let the replica's clock receive it before you apply the delta. The clock refuses a
  /// stamp that is far ahead, and its later stamps are greater than all in the delta.
  ///
  ///     if let latest = delta.latestTimestamp {
  ///       try clock.receive(latest, wallMilliseconds: wall)
  ///     }
  ///     try notes.apply(delta)
  ///
  /// - Complexity: O(rows of the delta).
  public var latestTimestamp: HybridTimestamp? {
    var latest: HybridTimestamp?
    for column in changes.columns {
      column.forEachRow { _, row in
        let stamp = HybridTimestamp(time: row.payload.time, replica: column.replica)
        if let found = latest, found >= stamp { return }
        latest = stamp
      }
    }
    return latest
  }
}

extension Document {
  /// The greatest stamp in the document; `nil` if the document is empty.
  ///
  /// If a replica begins with a copy of the document, let its clock receive this stamp.
  ///
  /// - Complexity: O(number of rows).
  public var latestTimestamp: HybridTimestamp? {
    delta(since: [:]).latestTimestamp
  }
}
