extension Document {
  /// The result of writing rows again with other stamps.
  package struct Restamping: Sendable {
    /// A row's old and new dot.
    package struct Move: Sendable {
      package let record: RecordID
      package let old: Dot
      package let new: Dot
    }

    /// The changes.
    package let delta: TableDelta<Document>
    /// The rows that were written again.
    package let moves: [Move]
    /// The greatest new stamp.
    package let latest: UInt64
  }

  /// The greatest time of the rows that ``restamp(after:at:)`` may write again; 0 if
  /// there are none.
  ///
  /// - Complexity: O(rows).
  package func latestRestampable(by replica: ReplicaID) -> UInt64 {
    var latest: UInt64 = 0
    _table.forEachRow { dot, row in
      if !row.isCount(of: dot.replica, foreignTo: replica) {
        latest = max(latest, row.payload.time)
      }
    }
    return latest
  }

  /// For each other replica, the number of its rows after a given time that only it can
  /// write again: its counts.
  ///
  /// - Complexity: O(rows).
  package func foreignCounts(after limit: UInt64, of replica: ReplicaID) -> [ReplicaID: Int] {
    var counts: [ReplicaID: Int] = [:]
    _table.forEachRow { dot, row in
      if row.payload.time > limit, row.isCount(of: dot.replica, foreignTo: replica) {
        counts[dot.replica, default: 0] += 1
      }
    }
    return counts
  }

  /// Writes every row after a given time again, in one edit; returns `nil` if there is
  /// none.
  ///
  /// The document reads as before, because each row is replaced by an equal one. The new
  /// times are in the order of the old ones, and later than those of all rows that stay,
  /// so no other value wins. Concurrent values stay beside one another. A deletion has
  /// seen the same rows as before, and no others. Rows that an authority's delegate wrote
  /// are written by the replica's own delegate.
  ///
  /// Rows with counts of other replicas stay as they are, because a copy would count as
  /// this replica's own. A record with such rows also stays as it is if stamps decide
  /// whether it is deleted.
  ///
  /// - Parameters:
  ///   - limit: The greatest time that stays.
  ///   - timestamp: The writer, and the least new stamp; a time of 0 stands for 1.
  /// - Returns: The changes and the moved rows.
  /// - Complexity: O(rows), and O(n log n) for n rows that are written.
  package mutating func restamp(
    after limit: UInt64, at timestamp: HybridTimestamp
  ) -> Restamping? {
    let before = version
    var restamper = Restamper(
      table: _table, schema: schema, limit: limit, timestamp: timestamp)
    _table = DotTable()
    restamper.run()
    _table = restamper.table
    guard !restamper.moves.isEmpty else { return nil }
    return Restamping(
      delta: delta(since: before), moves: restamper.moves, latest: restamper.latest)
  }
}

extension Row<Document.RowKey, Document.RowPayload> {
  /// Whether the row is a count of its writer, and the writer is not the given replica.
  fileprivate func isCount(of writer: ReplicaID, foreignTo replica: ReplicaID) -> Bool {
    guard writer != replica, case .counter(let row) = payload.content else { return false }
    return row.isTotal
  }
}

/// Writes rows of a document again.
private struct Restamper {
  typealias Entry = (dot: Dot, row: Row<Document.RowKey, Document.RowPayload>)

  var table: DotTable<Document.RowKey, Document.RowPayload>
  let schema: Schema
  let limit: UInt64
  let timestamp: HybridTimestamp
  private(set) var moves: [Document.Restamping.Move] = []
  private(set) var latest: UInt64 = 0
  /// The new times by the old stamps.
  private var times: [HybridTimestamp: UInt64] = [:]

  init(
    table: DotTable<Document.RowKey, Document.RowPayload>, schema: Schema, limit: UInt64,
    timestamp: HybridTimestamp
  ) {
    self.table = table
    self.schema = schema
    self.limit = limit
    self.timestamp = timestamp
  }

  mutating func run() {
    var (records, order): ([Document.Place: [Entry]], [Document.Place]) = ([:], [])
    // Only values that an undo has put back have time 0; they lose to any other value.
    var (stamps, floor): (Set<HybridTimestamp>, UInt64) = ([], max(1, timestamp.time))
    var counted: Set<Document.Place> = []
    table.forEachRow { dot, row in
      guard row.payload.time > limit else {
        if row.payload.time >= floor { floor = row.payload.time &+ 1 }
        return
      }
      let record = row.key.place.root
      if row.isCount(of: dot.replica, foreignTo: timestamp.replica) {
        counted.insert(record)
        return
      }
      if records[record] == nil { order.append(record) }
      records[record, default: []].append((dot, row))
      stamps.insert(HybridTimestamp(time: row.payload.time, replica: dot.replica))
    }
    for (rank, stamp) in stamps.sorted().enumerated() {
      latest = floor &+ UInt64(rank)
      times[stamp] = latest
    }
    for record in order where !(counted.contains(record) && isDecidedByStamps(record)) {
      move(records[record] ?? [], of: record)
    }
  }

  /// Whether stamps decide if a record is deleted.
  private mutating func isDecidedByStamps(_ record: Document.Place) -> Bool {
    schema.collections[record.collection]?.deletion == .lastWriterWins
      && !table.dotsForChange(of: Document.RowKey(record, .deletion)).isEmpty
  }

  /// Writes the late rows of a record again.
  ///
  /// If it was deleted, the rows that the deletion had seen come first, then the
  /// deletion, which has seen exactly these of the new rows. Its version contains all
  /// events before them, so the unseen rows come after it.
  private mutating func move(_ late: [Entry], of record: Document.Place) {
    let deletions = table.dotsForChange(of: Document.RowKey(record, .deletion)).compactMap(entry)
    let seen = VersionVector(
      mergingAll: deletions.lazy.compactMap { entry in
        if case .deletion(let version) = entry.row.payload.content { version } else { nil }
      })
    let contents = late.filter { $0.row.key.part.isAboutContent }
    let before = contents.filter { seen.contains($0.dot) }
    guard !before.isEmpty else {
      for entry in late { move(entry) }
      return
    }
    let writers = Set(before.map { writer(of: $0.dot) })
    let unseen = unseenRows(of: record, of: writers, by: seen)
    for entry in before { move(entry) }
    var seenAnew: VersionVector = [:]
    for writer in writers { seenAnew[writer] = table.seen(of: writer) }
    for entry in deletions { move(entry, seeing: seenAnew) }
    for entry in contents where !seen.contains(entry.dot) { move(entry) }
    for entry in unseen { move(entry) }
  }

  /// The rows of a record by some writers that need no new stamps and that a version
  /// lacks.
  private mutating func unseenRows(
    of record: Document.Place, of writers: Set<ReplicaID>, by version: VersionVector
  ) -> [Entry] {
    table.prepareGroups()
    let dots = table.dots(under: record.hash) {
      $0.part.isAboutContent && $0.place.isWithin(record)
    }
    return dots.filter { writers.contains($0.replica) && !version.contains($0) }
      .compactMap(entry).filter { $0.row.payload.time <= limit }
  }

  private func entry(at dot: Dot) -> Entry? {
    table.row(at: dot).map { (dot, $0) }
  }

  /// The new writer of a row: the replica, or its delegate of the authority that wrote
  /// it.
  private func writer(of dot: Dot) -> ReplicaID {
    dot.replica.isDelegate ? dot.replica.delegate(for: timestamp.replica) : timestamp.replica
  }

  private mutating func move(_ entry: Entry, seeing version: VersionVector = [:]) {
    let (dot, row) = entry
    let writer = writer(of: dot)
    var content = row.payload.content
    if case .deletion(let seen) = content { content = .deletion(seen.merging(version)) }
    let stamp = HybridTimestamp(time: row.payload.time, replica: dot.replica)
    let payload = Document.RowPayload(content, at: times[stamp] ?? row.payload.time)
    if case .position = row.key.part {
      let (start, old) = (row.key.place.listStart, dot.listPlace)
      let end = table.textRange(at: start).upperBound
      let offset = table.textOffset(after: old) ?? end
      table.removeElements([old], by: writer)
      let removed = end - table.textRange(at: start).upperBound
      table.insertText(" ", at: offset - removed, inTextAt: start, by: writer)
    }
    table.write(Row(key: row.key, payload: payload), by: writer, killing: CollectionOfOne(dot))
    moves.append(
      Document.Restamping.Move(
        record: Document.RecordID(row.key.place), old: dot,
        new: Dot(writer, table.seen(of: writer))))
  }
}

extension Document.RowKey.Part {
  /// Whether the row counts as a change of its record, which a deletion has seen or not.
  fileprivate var isAboutContent: Bool {
    if case .deletion = self { false } else { true }
  }
}
