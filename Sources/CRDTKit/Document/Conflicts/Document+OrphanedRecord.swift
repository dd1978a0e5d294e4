extension Document {
  /// What is left of a record that was purged: edits that the purge had not seen.
  ///
  /// A replica that was away for longer than deletions are kept may have changed a record
  /// that all others have purged meanwhile. The record is gone, but not the edit: all
  /// copies list it, until someone restores the record from it or discards it.
  ///
  ///     for orphan in notes.orphanedRecords {
  ///       notes.edit(at: stamp) { edit in
  ///         if wants(orphan.fields) { edit.restore(orphan) } else { edit.discard(orphan) }
  ///       }
  ///     }
  ///
  /// A record that is made anew under the same name takes its place: what was left of
  /// the old one goes then.
  public struct OrphanedRecord: Hashable, Sendable {
    /// The collection of the record.
    public let collection: String
    /// The record.
    public let record: String
    /// The fields that it would have if it were restored.
    public let fields: [String: Value]
    /// When it was last edited, and by whom.
    public let latestTimestamp: HybridTimestamp

    /// The events that wrote what is left: what a decision is about.
    let dots: [Dot]

    /// The name of the record, with its collection.
    public var id: RecordID { RecordID(record, in: collection) }
  }

  /// What is left of records that were purged, by collection and record: the same on all
  /// copies that have seen the same.
  ///
  /// - Complexity: O(number of rows).
  public var orphanedRecords: [OrphanedRecord] {
    var existing: Set<Place> = []
    var edited: Set<Place> = []
    table.forEachRow { _, row in
      if row.key.part == .existence {
        existing.insert(row.key.place)
      } else if row.isEdit {
        edited.insert(row.key.place.root)
      }
    }
    return edited.subtracting(existing).compactMap { orphan(at: $0) }.sorted { $0.id < $1.id }
  }

  /// What is left of a record that was purged; `nil` where there is such a record, or
  /// nothing is left.
  ///
  /// - Complexity: Expected O(rows of the record), and O(rows) where rows were taken in
  ///   since the last look.
  public func orphanedRecord(_ record: String, in collection: String) -> OrphanedRecord? {
    orphan(at: Place(record: record, in: collection))
  }

  /// Whether something is left of a record that was purged.
  ///
  /// - Complexity: As ``orphanedRecord(_:in:)``, and expected O(1) where there is such a
  ///   record.
  package func isOrphaned(_ record: RecordID) -> Bool {
    let place = Place(record: record.record, in: record.collection)
    return mayBeOrphan(place)
      && table.dots(under: place.hash) { $0.place.isWithin(place) }.contains { dot in
        table.row(at: dot)?.isEdit == true
      }
  }

  private func mayBeOrphan(_ place: Place) -> Bool {
    guard !table.contains(RowKey(place, .existence)) else { return false }
    return table.stateOfContent(of: place, under: deletionRule(of: place.collection)).isPresent
  }

  private func orphan(at place: Place) -> OrphanedRecord? {
    guard mayBeOrphan(place) else { return nil }
    let dots = table.dots(under: place.hash) { $0.place.isWithin(place) }
    var edits: [Dot] = []
    var latest: HybridTimestamp?
    var shared = place
    for dot in dots {
      guard let row = table.row(at: dot), row.isEdit else { continue }
      let stamp = HybridTimestamp(time: row.payload.time, replica: dot.replica)
      latest = Swift.max(latest ?? stamp, stamp)
      shared = row.key.place.root
      edits.append(dot)
    }
    guard let latest else { return nil }
    // It reads as it would if it were restored, so it is: in a copy.
    var restored = self
    restored.withEditor(at: latest) { $0.reopen(shared, holding: dots) }
    return OrphanedRecord(
      collection: shared.collection, record: shared.record,
      fields: restored.fields(of: shared.record, in: shared.collection) ?? [:],
      latestTimestamp: latest, dots: edits)
  }
}

extension Document.OrphanedRecord: CustomStringConvertible {
  /// The record, and who edited it when.
  public var description: String { "\(id), edited at \(latestTimestamp)" }
}

extension Document.Editor {
  /// Makes a record anew of what is left of one that was purged; says whether there was
  /// anything left.
  ///
  /// It holds just what had not been seen by the purge.
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

  /// Removes for good what is left of a record that was purged; says whether there was
  /// anything left.
  ///
  /// What someone else wrote to it meanwhile stays, as another orphan.
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

  /// What there is still of an orphan, unless there is a record of its name now.
  private mutating func dotsLeft(
    of orphan: Document.OrphanedRecord
  ) -> (Document.Place, ContiguousArray<Dot>) {
    let place = Document.Place(record: orphan.record, in: orphan.collection, near: record)
    guard dots(of: Document.RowKey(place, .existence)).isEmpty else { return (place, []) }
    let shown = Set(orphan.dots)
    return (place, dotsWithin(place).filter { shown.contains($0) })
  }

  /// Says that a record exists, and that there are the objects and sets that its rows
  /// stand in.
  fileprivate mutating func reopen(_ record: Document.Place, holding dots: ContiguousArray<Dot>) {
    removeAll(of: Document.RowKey(record, .deletion))
    table.write(
      row(Document.RowKey(record, .existence), .object), by: replica,
      killing: ContiguousArray<Dot>())
    var containers: [Document.Place: Document.RowPayload.Content] = [:]
    for dot in dots {
      guard let row = table.row(at: dot), row.isEdit else { continue }
      var (place, isSet) = (row.key.place, row.key.isOfElement)
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
      // What was written in its place hides what stands in it, here as elsewhere.
      let rows = Document.FieldRows(table.dotsForChange(of: key), of: table)
      guard rows.first == nil, rows.counter?.isRunning != true else { continue }
      table.write(row(key, content), by: replica, killing: ContiguousArray<Dot>())
    }
  }
}

extension Row<Document.RowKey, Document.RowPayload> {
  /// Whether it holds something that was written into a record.
  fileprivate var isEdit: Bool { key.part.isContent && !payload.content.isTrace }
}

extension Document.RowKey {
  fileprivate var isOfElement: Bool {
    if case .element = part { true } else { false }
  }
}
