extension Document.Editor {
  /// Removes records for good whose deletion is older than the retention, 30 days by
  /// default.
  ///
  /// The editor's stamp counts as the current time. Nothing is purged without a call.
  ///
  /// A replica that was away for longer can't bring back half a record. Its edits are not
  /// lost: they become one of ``Document/orphanedRecords`` until you restore or discard
  /// it. To avoid orphans, pass the version that all replicas have seen. Then a record is
  /// purged only when all of them have seen its deletion.
  ///
  /// A purge removes only the counts that it has seen, as ``remove(_:of:in:)`` does. For
  /// this it leaves a row with the totals of each counter. A later purge removes that row
  /// if it is given a version that shows that all replicas have seen it; otherwise the
  /// row stays.
  ///
  /// - Parameters:
  ///   - retention: The least time since a record's deletion.
  ///   - version: The version that every replica has seen. A record is purged only if the
  ///     version contains its deletion and all of its rows. For each replica, use the
  ///     version that it had at some moment, once all its events up to then are here.
  ///     With `nil` the purge waits for no replica.
  ///   - replicas: The replicas that the version covers, if there are others. The totals
  ///     of the others' counts stay.
  /// - Returns: The number of purged records.
  /// - Complexity: O(number of rows).
  @discardableResult
  public mutating func purge(
    retention: Duration = .seconds(30 * 86_400), seenByAll version: VersionVector? = nil,
    of replicas: Set<ReplicaID>? = nil
  ) -> Int {
    noteOpenRecord()
    let cutoff = cutoff(of: retention)
    var records: [Document.Place: ContiguousArray<Dot>] = [:]
    var order: [Document.Place] = []
    var deleted: Set<Document.Place> = []
    table.forEachRow { dot, row in
      let place = row.key.place.root
      if records[place] == nil { order.append(place) }
      if row.key.part == .deletion { deleted.insert(place) }
      records[place, default: []].append(dot)
    }
    var forgettable: ContiguousArray<Dot> = []
    var purged = 0
    for place in order {
      guard let dots = records[place], version.map(dots.areSeen) ?? true else { continue }
      if version != nil, hasOnlyTraces(dots) {
        forgettable += dots.filter { isForgettable($0, by: replicas) }
      }
      guard deleted.contains(place), isOver(place, before: cutoff) else { continue }
      clear(dots)
      noteChanges(of: place)
      purged += 1
    }
    forgetTraces(forgettable)
    record = nil
    return purged
  }

  /// The time, in milliseconds, before which a deletion is purged; 0 if the retention is
  /// longer than all time.
  private func cutoff(of retention: Duration) -> UInt64 {
    UInt64(clamping: Int128(timestamp.milliseconds) - retention.wholeMilliseconds)
  }

  /// Whether a record, or an orphan, reads as deleted since before a time.
  private mutating func isOver(_ place: Document.Place, before cutoff: UInt64) -> Bool {
    table.prepareGroups()
    let rule = schema.collections[place.collection]?.deletion ?? .updateWins
    guard case .deleted(let stamp) = table.stateOfContent(of: place, under: rule) else {
      return false
    }
    return stamp.milliseconds < cutoff
  }
}

extension Document.Editor {
  /// Whether all rows are traces of counters.
  private func hasOnlyTraces(_ dots: ContiguousArray<Dot>) -> Bool {
    dots.allSatisfy { table.row(at: $0)?.payload.content.isTrace == true }
  }

  /// Whether a trace only records counts that all replicas know.
  private func isForgettable(_ dot: Dot, by replicas: Set<ReplicaID>?) -> Bool {
    guard let row = table.row(at: dot), row.key != .forgottenTraces,
      case .counter(let counter) = row.payload.content
    else { return false }
    let (totals, lives) = (counter.remembered.totals, counter.remembered.lives)
    // Each replica's next life must be a later one.
    guard zip(totals.replicas, lives).allSatisfy({ table.seen(of: $0) >= $1 }) else {
      return false
    }
    return replicas.map { $0.isSuperset(of: totals.replicas) } ?? true
  }

  /// Removes traces of counters.
  ///
  /// One row of the document records that some were removed. From then on, traces alone
  /// don't show whether a replica has counted before.
  private mutating func forgetTraces(_ dots: ContiguousArray<Dot>) {
    guard !dots.isEmpty else { return }
    let mark = Document.RowKey.forgottenTraces
    table.write(
      row(mark, .counter(CounterRow(CounterTrace()))), by: replica,
      killing: dots + table.dotsForChange(of: mark))
    // No record reads differently than before.
    notedEvents = table.eventCount
  }

  /// Whether traces of counters were removed that the replica may have left.
  var hasForgottenTraces: Bool {
    mutating get { !table.dotsForChange(of: .forgottenTraces).isEmpty }
  }
}

extension Document.RowKey {
  /// The key of the row which records that traces of counters were removed.
  ///
  /// No path leads to its place: it is an element of a record, which is no set.
  static let forgottenTraces = Self(Document.Place(record: "", in: ""), .element(.null))
}

extension CounterRow {
  /// The trace that the row holds.
  fileprivate var remembered: CounterTrace {
    switch content {
    case .total, .laterTotal, .spannedTotal, .totals: CounterTrace()
    case .removed(let totals): CounterTrace(totals: totals)
    case .laterRemoved(let trace): trace
    }
  }
}

extension ContiguousArray<Dot> {
  /// Whether a version contains all of them.
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
