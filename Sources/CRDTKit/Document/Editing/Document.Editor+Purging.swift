extension Document.Editor {
  /// Removes for good what was deleted so long ago, 30 days unless given otherwise.
  ///
  /// The editor's stamp is taken for now; nothing is purged by itself.
  ///
  /// A replica that was away for longer can't bring back half a record. What it wrote
  /// to it is not lost either: it is one of ``Document/orphanedRecords``, until someone
  /// restores or discards it. If that is not to happen, say what all replicas have
  /// seen: a record is purged only when they have seen it deleted.
  ///
  /// A purge removes just what it saw of a counter, as ``remove(_:of:in:)`` does. For
  /// that it leaves a row that remembers the totals of each counter. It goes at a later
  /// purge that is told that all replicas have seen it; without that it stays.
  ///
  /// - Parameters:
  ///   - retention: How long ago a record must have been deleted.
  ///   - version: What every replica has seen: what isn't wholly in it, the deletion
  ///     and all rows of the record, is not purged yet. Count for each replica what
  ///     it had seen at some moment, once all that it wrote until then is here.
  ///     Without a version nobody is waited for.
  ///   - replicas: The replicas that the version speaks of, if there are others: what
  ///     is remembered of the counts of others stays.
  /// - Returns: How many records were purged.
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

  /// The milliseconds before which a deletion is purged; none where the retention
  /// goes back beyond all time.
  private func cutoff(of retention: Duration) -> UInt64 {
    UInt64(clamping: Int128(timestamp.milliseconds) - retention.wholeMilliseconds)
  }

  /// Whether a record, or what is left of one that was purged, reads as deleted, and
  /// has for so long.
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
  /// Whether rows only remember what was counted.
  private func hasOnlyTraces(_ dots: ContiguousArray<Dot>) -> Bool {
    dots.allSatisfy { table.row(at: $0)?.payload.content.isTrace == true }
  }

  /// Whether a trace only says what replicas counted that all know of it.
  private func isForgettable(_ dot: Dot, by replicas: Set<ReplicaID>?) -> Bool {
    guard let row = table.row(at: dot), row.key != .forgottenTraces,
      case .counter(let counter) = row.payload.content
    else { return false }
    let (totals, lives) = (counter.remembered.totals, counter.remembered.lives)
    // The next life of each must be known to be a later one.
    guard zip(totals.replicas, lives).allSatisfy({ table.seen(of: $0) >= $1 }) else {
      return false
    }
    return replicas.map { $0.isSuperset(of: totals.replicas) } ?? true
  }

  /// Removes traces of counters.
  ///
  /// One row of the document tells that from then on a replica can't know from traces
  /// alone whether it had counted before.
  private mutating func forgetTraces(_ dots: ContiguousArray<Dot>) {
    guard !dots.isEmpty else { return }
    let mark = Document.RowKey.forgottenTraces
    table.write(
      row(mark, .counter(CounterRow(CounterTrace()))), by: replica,
      killing: dots + table.dotsForChange(of: mark))
    // No record shows anything else than before.
    notedEvents = table.eventCount
  }

  /// Whether traces of counters were removed that the replica may have left.
  var hasForgottenTraces: Bool {
    mutating get { !table.dotsForChange(of: .forgottenTraces).isEmpty }
  }
}

extension Document.RowKey {
  /// The key of the row that tells that traces of counters were removed.
  ///
  /// It is at a place that no path leads to: an element of a record, which is no set.
  static let forgottenTraces = Self(Document.Place(record: "", in: ""), .element(.null))
}

extension CounterRow {
  /// What the row says was seen of counts.
  fileprivate var remembered: CounterTrace {
    switch content {
    case .total, .laterTotal, .spannedTotal, .totals: CounterTrace()
    case .removed(let totals): CounterTrace(totals: totals)
    case .laterRemoved(let trace): trace
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
