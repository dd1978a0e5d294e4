extension DotTable {
  /// Checks what must always hold, in builds with `CRDT_INTERNAL_CHECKS` only: of
  /// larger tables after one event in 16, of large ones after one in 256.
  @inlinable
  @inline(__always)
  package func checkInvariants() {
    #if CRDT_INTERNAL_CHECKS
    let isDue =
      rowCount <= 16 || rowCount <= 128 && eventCount % 16 == 0 || eventCount % 256 == 0
    if isDue { checkEveryInvariant() }
    #endif
  }

  /// Checks what must always hold, in any build.
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
  }

  func checkIndex(_ cache: KeyIndexCache) {
    guard cache.index.pointee.coveredEvents == eventCount else { return }
    forEachRow { dot, row in
      guard row.key == row.key else { return }  // NaN is found by nobody.
      var isFound = false
      forEachMatch(of: row.key, hash: cache.index.pointee.hash(of: row.key), in: cache.index) {
        match in
        isFound = isFound || match == dot
      }
      precondition(isFound, "the row at \(dot) is not in the index")
    }
  }
}

extension Column {
  func checkInvariants() {
    precondition(seen > 0, "a column of \(replica) without events")
    precondition(
      rowCount == sheets.reduce(0) { $0 + $1.page.count },
      "\(replica): \(rowCount) rows, pages hold \(sheets.map(\.page.count))")
    var blocksEnd: UInt64 = 0
    for sheet in sheets {
      let page = sheet.page
      precondition(page.count > 0, "an empty page at \(sheet.start)")
      precondition(
        page.count == page.live.count && page.count <= page.stored && page.stored <= page.room
          && page.split <= page.stored && page.filled.count == page.stored
          && page.live & page.filled == page.live,
        "\(page.count) rows, \(page.live.count) bits, room for \(page.room)")
      precondition(sheet.start >= blocksEnd, "page at \(sheet.start) before \(blocksEnd)")
      precondition(page.isDense || page.live.last < page.counters.count)
      precondition(page.counter(at: page.live.last) <= seen, "a row after event \(seen)")
      blocksEnd = page.lastBlockStart + Rows.blockSize
      precondition(
        page.isDense || page.lastBlockStart < Rows.blockStart(of: seen),
        "a packed page holds the open block of \(seen)")
    }
    precondition(kills.floor <= seen, "floor \(kills.floor) above \(seen)")
    for (entry, next) in zip(kills.entries, kills.entries.dropFirst()) {
      precondition(entry.event <= next.event, "kills out of order at \(entry.event)")
    }
  }
}
