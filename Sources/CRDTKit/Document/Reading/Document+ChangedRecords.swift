extension Document {
  /// The records that a delta would change if it were taken in now: those of which it
  /// brings rows, and those whose rows it removes.
  ///
  /// To be asked before the delta is taken in: afterwards it can't be told what the
  /// removed rows were about. Of a delta that doesn't fit here it is said what it
  /// would change if it did.
  ///
  /// - Returns: `nil` where the delta lists what lives, and not what was removed:
  ///   then any record may change.
  /// - Complexity: Expected O(size of the delta).
  package func recordsChanged(by delta: TableDelta<Document>) -> Set<RecordID>? {
    var places = RecordPlaces()
    for column in delta.changes.columns {
      let seen = table.seen(of: column.replica)
      guard column.seen > seen else { continue }
      guard case .kills = delta.changes.removals else { return nil }
      column.forEachRow { counter, row in
        if counter > seen, row.key != .forgottenTraces { places.append(row.key.place) }
      }
      for entry in column.kills.entries(after: seen) {
        guard let key = table.key(at: entry.killed), key != .forgottenTraces else { continue }
        places.append(key.place)
      }
    }
    return places.records
  }

  /// Makes changes as ``edit(at:_:)`` does, and adds the records that were changed
  /// to a set.
  ///
  /// They are added also if the body throws, since what it did before stays done.
  ///
  /// - Complexity: O(number of replicas + what the body does).
  @discardableResult
  package mutating func edit(
    at timestamp: HybridTimestamp, noting records: inout Set<RecordID>,
    _ body: (inout Editor) throws -> Void
  ) rethrows -> TableDelta<Document> {
    let before = table.version
    try withEditor(at: timestamp) { editor in
      defer {
        editor.noteOpenRecord()
        records.formUnion(editor.changedPlaces.records)
      }
      try body(&editor)
    }
    return TableDelta(table.editDelta(since: before, by: timestamp.replica))
  }
}

extension Document {
  /// Places of records that were changed, or within such: cheap to add to.
  struct RecordPlaces {
    private var places: ContiguousArray<Place> = []

    /// Adds a place, unless it was the last.
    mutating func append(_ place: Place) {
      if places.last !== place { places.append(place) }
    }

    /// The records, each once.
    var records: Set<RecordID> {
      var records: Set<RecordID> = []
      var last: Place?
      for place in places {
        // Places of one record mostly follow one another, and share its name.
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
  /// Notes the events since the last note as changes of the record that was opened
  /// last: before changes of another begin.
  mutating func noteOpenRecord() {
    guard let record else {
      assert(table.eventCount == notedEvents, "events of no record")
      return
    }
    noteChanges(of: record)
  }

  /// Notes the events since the last note, if there are any, as changes of a record
  /// or of an object in it.
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
    return columns[place].sheets[found.sheet].page.key(at: found.slot)
  }
}

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

extension TableDelta where Value == Document {
  /// The greatest stamp of what is new in the delta; `nil` if nothing in it has one.
  ///
  /// Let the replica's clock receive it before the delta is taken in: a stamp from
  /// a clock far ahead is refused there, and later stamps are greater than all
  /// that the delta brings.
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
  /// The greatest stamp of all that the document holds; `nil` if it holds nothing.
  ///
  /// Let the clock of a replica that begins with a copy of the document receive
  /// it.
  ///
  /// - Complexity: O(number of rows).
  public var latestTimestamp: HybridTimestamp? {
    delta(since: [:]).latestTimestamp
  }
}
