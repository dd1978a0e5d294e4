extension DotTable {
  /// Before an event of this table: makes the index one's own and current, where
  /// there is one or the table becomes too large to search row by row.
  ///
  /// Gives the index to keep current, if there is one.
  @inlinable
  mutating func prepareIndex() -> UnsafeMutablePointer<KeyIndex>? {
    if index == nil {
      guard rowCount >= Self.scannedCount else { return nil }
      index = KeyIndexCache(KeyIndex(room: rowCount))
    }
    detachIndex()
    guard let index = index?.index else { return nil }
    if index.pointee.coveredEvents != eventCount { extend(index) }
    return index
  }

  /// Before any change: makes the index one's own, so that what readers of
  /// copies derive and what this table becomes stay apart.
  @inlinable
  mutating func detachIndex() {
    guard !isKnownUniquelyReferenced(&index) || index?.hasPublished == true else { return }
    index = index?.successor()
  }

  /// Tells an index of columns that are new.
  @inlinable
  func follow(with index: UnsafeMutablePointer<KeyIndex>) {
    if columns.count != index.pointee.columnPlaces.count {
      index.pointee.follow(columns.map { $0.replica })
    }
  }

  /// After an event of this table that wrote a row.
  @inlinable
  func indexWrite(
    of key: Key, at counter: UInt64, column: Int, in index: UnsafeMutablePointer<KeyIndex>
  ) {
    if index.pointee.entryCount >= index.pointee.room { return extend(index) }
    follow(with: index)
    insert(key, at: counter, column: column, in: index)
    index.pointee.cover(counter, column: column, events: eventCount)
  }

  /// After an event of this table that only killed rows.
  @inlinable
  func indexRemoval(
    at counter: UInt64, column: Int, in index: UnsafeMutablePointer<KeyIndex>
  ) {
    follow(with: index)
    index.pointee.cover(counter, column: column, events: eventCount)
  }

  /// After rows were taken in from elsewhere: extends an index where that costs
  /// little, and makes one possible where the table has become large.
  ///
  /// A table that was never searched has no index to extend, so one that only
  /// merges and forwards never hashes a key.
  ///
  /// - Parameter changed: Columns of which the index doesn't cover all, if no others are
  ///   such.
  @inlinable
  mutating func extendIndexIfCheap(by changed: ContiguousArray<Replica>? = nil) {
    if let index = index?.index {
      let covered = index.pointee.coveredEvents
      guard covered > 0, covered != eventCount, eventCount &- covered <= 1_024 else { return }
      if let changed { extend(index, by: changed) } else { extend(index) }
    } else if rowCount > Self.scannedCount {
      index = KeyIndexCache(KeyIndex())
    }
  }
}
