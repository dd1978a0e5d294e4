extension DotTable {
  /// Prepares the index for an event of this table: makes it unshared and current.
  ///
  /// It makes an index if the table becomes too large to search its rows one by one.
  ///
  /// - Returns: The index to keep current; `nil` if there is none.
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

  /// Prepares the index for any change: makes it unshared.
  ///
  /// So indexes derived by readers of copies stay separate from this table's later
  /// states.
  @inlinable
  mutating func detachIndex() {
    guard !isKnownUniquelyReferenced(&index) || index?.hasPublished == true else { return }
    index = index?.successor()
  }

  /// Adds new columns to an index.
  @inlinable
  func follow(with index: UnsafeMutablePointer<KeyIndex>) {
    if columns.count != index.pointee.columnPlaces.count {
      index.pointee.follow(columns.map { $0.replica })
    }
  }

  /// Updates the index after an event of this table that added a row.
  @inlinable
  func indexWrite(
    of key: Key, at counter: UInt64, column: Int, in index: UnsafeMutablePointer<KeyIndex>
  ) {
    if !index.pointee.hasRoom { return extend(index) }
    follow(with: index)
    insert(key, at: counter, column: column, in: index)
    index.pointee.cover(counter, column: column, events: eventCount)
  }

  /// Updates the index after an event of this table that only removed rows.
  @inlinable
  func indexRemoval(
    at counter: UInt64, column: Int, in index: UnsafeMutablePointer<KeyIndex>
  ) {
    follow(with: index)
    index.pointee.cover(counter, column: column, events: eventCount)
  }

  /// Updates the index after rows were received from another copy.
  ///
  /// It extends an index if that is cheap, and makes one if the table has become large. A
  /// table that was never searched has no index. So a table that only merges and forwards
  /// never hashes a key.
  ///
  /// - Parameter changed: The columns that the index doesn't completely cover; `nil` if
  ///   unknown.
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

extension DotTable {
  /// The number of different keys of the live rows.
  ///
  /// - Complexity: O(1) while no two rows have the same key; otherwise, after each
  ///   change, expected O(rows that ever shared a key). The first time after receiving
  ///   rows from another copy, also expected O(number of received rows).
  @inlinable
  package var distinctKeyCount: Int {
    guard rowCount > 1 else { return rowCount }
    return rowCount &- shadowedDots().count
  }

  /// Returns the number of different keys of some live rows, given by their dots in
  /// order.
  ///
  /// These must be all the rows with their keys.
  @inlinable
  package func distinctKeyCount(of dots: ContiguousArray<Dot>) -> Int {
    // A row replaces its replica's earlier rows with the same key. Only a forged state
    // has two such rows; both count.
    guard dots.first?.replica != dots.last?.replica else { return dots.count }
    let shadows = shadowedDots()
    var count = dots.count
    var next = 0
    for dot in dots {
      while next < shadows.count, shadows[next] < dot { next &+= 1 }
      if next < shadows.count, shadows[next] == dot { count &-= 1 }
    }
    return count
  }

  /// Returns the dots of the rows that follow another row with the same key, in order.
  @inlinable
  package func shadowedDots() -> ContiguousArray<Dot> {
    guard let index else { return scannedShadows() }
    let cache = index.index.pointee.coveredEvents == eventCount ? index : extended(index)
    guard !cache.index.pointee.twins.isEmpty else { return [] }
    if let shadows = cache.publishedShadows { return shadows.dots }
    return cache.publish(shadows: DuplicateKeyDots(shadows(among: cache.index))).dots
  }

  @inlinable
  func shadows(among index: UnsafeMutablePointer<KeyIndex>) -> ContiguousArray<Dot> {
    var shadows: ContiguousArray<Dot> = []
    var isHandled: Set<Dot> = []
    for twin in index.pointee.twins where !isHandled.contains(twin) {
      guard let key = row(at: twin)?.key else { continue }
      var matches: ContiguousArray<Dot> = []
      let hash = index.pointee.hash(of: key)
      forEachRow(
        hash: hash, in: index, where: { KeyIdentity.areSame($0, key) },
        visit: { dot, _ in matches.append(dot) })
      matches.sort()
      isHandled.formUnion(matches)
      shadows.append(contentsOf: matches.dropFirst())
    }
    shadows.sort()
    return shadows
  }

  /// Returns the duplicate rows of a table so small that its rows are compared one by
  /// one.
  @inlinable
  func scannedShadows() -> ContiguousArray<Dot> {
    var keys: [Key] = []
    var shadows: ContiguousArray<Dot> = []
    forEachRow { dot, row in
      let isKnown = keys.contains { KeyIdentity.areSame($0, row.key) }
      if isKnown { shadows.append(dot) } else { keys.append(row.key) }
    }
    return shadows
  }
}
