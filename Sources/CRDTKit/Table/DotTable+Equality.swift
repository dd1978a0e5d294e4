extension DotTable: Equatable {
  /// Returns whether both tables have seen the same events and hold the same rows.
  ///
  /// Rows are the same if they are `==` or have the same canonical form; so a NaN equals
  /// itself.
  ///
  /// - Complexity: O(rows that are not in shared pages).
  @inlinable
  public static func == (left: DotTable, right: DotTable) -> Bool {
    left.rowCount == right.rowCount && left.columns.count == right.columns.count
      && zip(left.columns, right.columns).allSatisfy { $0.isSame(as: $1) }
  }
}

extension DotTable: Hashable {
  /// Hashes the version and the number of rows.
  ///
  /// That suffices, because tables that have seen the same events hold the same rows.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rowCount)
    hasher.combine(version)
  }
}

extension Column {
  @inlinable
  func isSame(as other: Column) -> Bool {
    guard replica == other.replica, seen == other.seen, rowCount == other.rowCount,
      origin != other.origin || fingerprint == other.fingerprint
    else { return false }
    guard texts.isSame(as: other.texts) else { return false }
    if sharesPages(with: other) { return true }
    var mine = RowCursor(self)
    var theirs = RowCursor(other)
    while mine.advance(), theirs.advance() {
      if mine.skipPage(sharedWith: theirs) {
        theirs.skipPage()
        continue
      }
      guard mine.counter == theirs.counter, mine.row.isSame(as: theirs.row) else { return false }
    }
    return true
  }
}

extension Row {
  @inlinable
  func isSame(as other: Row) -> Bool {
    let hasSameKey = KeyIdentity.areSame(key, other.key) || key.hasSameForm(as: other.key)
    return hasSameKey && payload.hasSameForm(as: other.payload)
  }
}

extension DotTable {
  /// Checks the invariants, only in builds with `CRDT_INTERNAL_CHECKS`.
  ///
  /// In larger tables it checks after one event in 16, in large ones after one in 256.
  @inlinable
  @inline(__always)
  package func checkInvariants() {
    #if CRDT_INTERNAL_CHECKS
    let isDue =
      rowCount <= 16 || rowCount <= 128 && eventCount % 16 == 0 || eventCount % 256 == 0
    if isDue { checkEveryInvariant() }
    #endif
  }

  /// Checks the invariants, in any build.
  ///
  /// - Complexity: O(rows).
  @usableFromInline
  package func checkEveryInvariant() {
    precondition(
      rowCount == columns.reduce(0) { $0 + $1.rowCount },
      "\(rowCount) rows, but \(columns.map(\.rowCount)) in the columns")
    precondition(
      eventCount == columns.reduce(0) { $0 + $1.seen },
      "\(eventCount) events, but \(columns.map(\.seen)) in the columns")
    for (column, next) in zip(columns, columns.dropFirst()) {
      precondition(column.replica < next.replica, "replicas \(column.replica), \(next.replica)")
    }
    for column in columns { column.checkInvariants() }
    precondition(
      rowCount <= Self.scannedCount || index != nil, "\(rowCount) rows without an index")
    if let index { checkIndex(index) }
    precondition(order != nil || !hasTexts, "elements of texts without an order")
  }

  func checkIndex(_ cache: KeyIndexCache) {
    guard cache.index.pointee.coveredEvents == eventCount else { return }
    // Many rows of one key stand one after another: they are looked up once.
    var (key, dots): (Key?, Set<Dot>) = (nil, [])
    forEachRow { dot, row in
      guard row.key == row.key else { return }  // NaN is found by nobody.
      if key != row.key {
        key = row.key
        dots.removeAll(keepingCapacity: dots.count < 16)
        let hash = cache.index.pointee.hash(of: row.key)
        forEachRow(
          hash: hash, in: cache.index, where: { $0 == row.key },
          visit: { dot, _ in dots.insert(dot) })
      }
      precondition(dots.contains(dot), "the row at \(dot) is not in the index")
    }
  }
}

extension Column {
  func checkInvariants() {
    precondition(seen > 0, "a column of \(replica) without events")
    precondition(
      rowCount == pageSlots.reduce(0) { $0 + $1.page.count },
      "\(replica): \(rowCount) rows, pages hold \(pageSlots.map(\.page.count))")
    var blocksEnd: UInt64 = 0
    for pageSlot in pageSlots {
      let page = pageSlot.page
      precondition(page.count > 0, "an empty page at \(pageSlot.start)")
      precondition(
        page.count == page.live.count && page.count <= page.stored && page.stored <= page.room
          && page.split <= page.stored && page.filled.count == page.stored
          && page.stored &+ page.lentCount <= page.room
          && page.live & page.filled == page.live,
        "\(page.count) rows, \(page.live.count) bits, room for \(page.room)")
      precondition(pageSlot.start >= blocksEnd, "page at \(pageSlot.start) before \(blocksEnd)")
      precondition(page.isDense || page.live.last < page.counters.count)
      precondition(page.counter(at: page.live.last) <= seen, "a row after event \(seen)")
      blocksEnd = page.lastBlockStart + Rows.blockSize
      precondition(
        page.isDense || page.lastBlockStart < Rows.blockStart(of: seen),
        "a packed page holds the open block of \(seen)")
    }
    texts.checkInvariants(of: replica, seen: seen)
    precondition(kills.floor <= seen, "floor \(kills.floor) above \(seen)")
    for (entry, next) in zip(kills.entries, kills.entries.dropFirst()) {
      precondition(entry.event <= next.event, "kills out of order at \(entry.event)")
    }
  }
}
