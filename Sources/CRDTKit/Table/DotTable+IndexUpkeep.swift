extension DotTable {
  /// Before an event of this table: makes the index one's own and current, where
  /// there is one or the table becomes too large to search row by row.
  ///
  /// Says whether there is an index to keep current.
  @inlinable
  mutating func prepareIndex() -> Bool {
    if index == nil {
      guard rowCount >= Self.scannedCount else { return false }
      index = KeyIndexCache(KeyIndex(room: rowCount))
    }
    detachIndex()
    guard let index else { return false }
    if index.index.coveredEvents != eventCount { extend(&index.index) }
    return true
  }

  /// Before any change: makes the index one's own, so that what readers of
  /// copies derive and what this table becomes stay apart.
  @inlinable
  mutating func detachIndex() {
    let isSole = isKnownUniquelyReferenced(&index)
    guard let cache = index, !isSole || cache.hasPublished else { return }
    index = cache.successor()
  }

  /// After an event of this table that wrote a row.
  @inlinable
  mutating func indexWrite(of key: Key, at counter: UInt64, column: Int, wasCovered: Bool) {
    guard wasCovered, let cache = index else { return }
    if cache.index.entryCount >= cache.index.segments.count &* KeyIndex.segmentLoadMax {
      extend(&cache.index)
      return
    }
    cache.index.follow(columns.lazy.map { $0.replica })
    insert(key, at: counter, column: column, in: &cache.index)
    cover(counter, column: column)
  }

  /// After an event of this table that only killed rows.
  @inlinable
  mutating func indexRemoval(at counter: UInt64, column: Int, wasCovered: Bool) {
    guard wasCovered, let cache = index else { return }
    cache.index.follow(columns.lazy.map { $0.replica })
    cover(counter, column: column)
  }

  @inlinable
  func cover(_ counter: UInt64, column: Int) {
    guard let cache = index else { return }
    cache.index.covered[Int(cache.index.ordinals[column])].counter = counter
    cache.index.coveredEvents = eventCount
  }

  /// After rows were taken in from elsewhere: extends an index where that costs
  /// little, and makes one possible where the table has become large.
  ///
  /// A table that was never searched has no index to extend, so one that only
  /// merges and forwards never hashes a key.
  @inlinable
  mutating func extendIndexIfCheap() {
    if let cache = index {
      let covered = cache.index.coveredEvents
      if covered > 0, covered != eventCount, eventCount &- covered <= 1_024 {
        extend(&cache.index)
      }
    } else if rowCount > Self.scannedCount {
      index = KeyIndexCache(KeyIndex())
    }
  }
}
