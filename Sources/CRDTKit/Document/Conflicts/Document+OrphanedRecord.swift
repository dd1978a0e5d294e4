extension Document {
  /// The remains of a purged record: edits that the purge had not seen.
  ///
  /// A replica that was away for longer than the retention of deletions may have changed
  /// a record that all others have purged. The record is gone, but the edit is not: all
  /// copies list it until you restore the record from it or discard it.
  ///
  ///     for orphan in notes.orphanedRecords {
  ///       notes.edit(at: stamp) { edit in
  ///         if wants(orphan.fields) { edit.restore(orphan) } else { edit.discard(orphan) }
  ///       }
  ///     }
  ///
  /// If a record of the same name is created again, it takes the orphan's place, and the
  /// old remains are removed.
  public struct OrphanedRecord: Hashable, Sendable {
    /// The collection of the record.
    public let collection: String
    /// The name of the record.
    public let record: String
    /// The fields that the record would have after a restore.
    public let fields: [String: Value]
    /// The time and the replica of the last edit.
    public let latestTimestamp: HybridTimestamp

    /// The events that wrote the remains, to which a decision applies.
    let dots: [Dot]

    /// The name of the record, with its collection.
    public var id: RecordID { RecordID(record, in: collection) }
  }

  /// The remains of purged records, ordered by collection and record.
  ///
  /// Copies with the same events list the same orphans.
  ///
  /// - Complexity: O(number of rows).
  public var orphanedRecords: [OrphanedRecord] {
    var existing: Set<Place> = []
    var edited: Set<Place> = []
    _table.forEachRow { _, row in
      if row.key.part == .existence {
        existing.insert(row.key.place)
      } else if row.isEdit {
        edited.insert(row.key.place.root)
      }
    }
    return edited.subtracting(existing).compactMap { orphan(at: $0) }.sorted { $0.id < $1.id }
  }

  /// The remains of a purged record; `nil` if the record exists or nothing remains.
  ///
  /// - Complexity: Expected O(rows of the record), and O(rows) for rows applied since the
  ///   last read.
  public func orphanedRecord(_ record: String, in collection: String) -> OrphanedRecord? {
    orphan(at: Place(record: record, in: collection))
  }

  /// Whether anything remains of a purged record.
  ///
  /// - Complexity: As ``orphanedRecord(_:in:)``, and expected O(1) if the record exists.
  package func isOrphaned(_ record: RecordID) -> Bool {
    let place = Place(record: record.record, in: record.collection)
    return mayBeOrphan(place)
      && _table.dots(under: place.hash) { $0.place.isWithin(place) }.contains { dot in
        _table.row(at: dot)?.isEdit == true
      }
  }

  private func mayBeOrphan(_ place: Place) -> Bool {
    guard !_table.contains(RowKey(place, .existence)) else { return false }
    return _table.stateOfContent(of: place, under: deletionRule(of: place.collection)).isPresent
  }

  private func orphan(at place: Place) -> OrphanedRecord? {
    guard mayBeOrphan(place) else { return nil }
    let dots = _table.dots(under: place.hash) { $0.place.isWithin(place) }
    var edits: [Dot] = []
    var latest: HybridTimestamp?
    var shared = place
    for dot in dots {
      guard let row = _table.row(at: dot), row.isEdit else { continue }
      let stamp = HybridTimestamp(time: row.payload.time, replica: dot.replica)
      latest = Swift.max(latest ?? stamp, stamp)
      shared = row.key.place.root
      edits.append(dot)
    }
    guard let latest else { return nil }
    // The fields are those after a restore, so restore the record in a copy.
    var restored = self
    restored.withEditor(at: latest) { $0.reopen(shared, holding: dots) }
    return OrphanedRecord(
      collection: shared.collection, record: shared.record,
      fields: restored.fields(of: shared.record, in: shared.collection) ?? [:],
      latestTimestamp: latest, dots: edits)
  }
}

extension Document.OrphanedRecord: CustomStringConvertible {
  /// The record, and the time and replica of its last edit.
  public var description: String { "\(id), edited at \(latestTimestamp)" }
}

extension Document.Editor {
  /// Creates a purged record again from its remains, and returns whether anything
  /// remained.
  ///
  /// The record holds only the edits that the purge had not seen.
  ///
  /// - Complexity: Expected O(rows of the record).
  @discardableResult
  public mutating func restore(_ orphan: Document.OrphanedRecord) -> Bool {
    let (place, dots) = dotsLeft(of: orphan)
    guard !dots.isEmpty else { return false }
    noteOpenRecord()
    reopen(place, holding: dotsWithin(place))
    noteChanges(of: place)
    record = nil
    object = nil
    return true
  }

  /// Removes the remains of a purged record for good, and returns whether anything
  /// remained.
  ///
  /// An edit that arrived meanwhile stays, as another orphan.
  ///
  /// - Complexity: Expected O(rows of the record).
  @discardableResult
  public mutating func discard(_ orphan: Document.OrphanedRecord) -> Bool {
    let (place, dots) = dotsLeft(of: orphan)
    guard !dots.isEmpty else { return false }
    noteOpenRecord()
    clear(dots)
    noteChanges(of: place)
    return true
  }

  /// The orphan's rows that still exist; empty if a record of its name exists now.
  private mutating func dotsLeft(
    of orphan: Document.OrphanedRecord
  ) -> (Document.Place, ContiguousArray<Dot>) {
    let place = Document.Place(record: orphan.record, in: orphan.collection, near: record)
    guard dots(of: Document.RowKey(place, .existence)).isEmpty else { return (place, []) }
    let shown = Set(orphan.dots)
    return (place, dotsWithin(place).filter { shown.contains($0) })
  }

  /// Writes that a record exists, and that the objects and sets around its rows do.
  fileprivate mutating func reopen(_ record: Document.Place, holding dots: ContiguousArray<Dot>) {
    removeAll(of: Document.RowKey(record, .deletion))
    table.write(
      row(Document.RowKey(record, .existence), .object), by: replica,
      killing: ContiguousArray<Dot>())
    var containers: [Document.Place: Document.RowPayload.Content] = [:]
    for dot in dots {
      guard let row = table.row(at: dot), row.isEdit else { continue }
      // The row of a mark makes no object: the field around it is a text.
      var (place, isSet) = (row.key.fieldPlace, row.key.isOfElement)
      while let parent = place.parent {
        if containers[place] == nil || !isSet { containers[place] = isSet ? .set : .object }
        (place, isSet) = (parent, false)
      }
    }
    let order = containers.keys.sorted { left, right in
      left.depth == right.depth
        ? left.path.names.lexicographicallyPrecedes(right.path.names) { $0.comes(before: $1) }
        : left.depth < right.depth
    }
    for place in order {
      guard let parent = place.parent, let content = containers[place] else { continue }
      let key = Document.RowKey(parent, .field(place.name))
      // A value written in its place hides its content, here as elsewhere.
      let rows = Document.FieldRows(table.dotsForChange(of: key), of: table)
      guard rows.first == nil, rows.counter?.isRunning != true else { continue }
      table.write(row(key, content), by: replica, killing: ContiguousArray<Dot>())
    }
  }
}

extension Row<Document.RowKey, Document.RowPayload> {
  /// Whether the row holds an edit of a record's content.
  fileprivate var isEdit: Bool { key.part.isContent && !payload.content.isTrace }
}

extension Document.RowKey {
  /// The place of the fields to which the row belongs.
  fileprivate var fieldPlace: Document.Place {
    if case .mark = part { place.parent ?? place } else { place }
  }

  fileprivate var isOfElement: Bool {
    if case .element = part { true } else { false }
  }
}
