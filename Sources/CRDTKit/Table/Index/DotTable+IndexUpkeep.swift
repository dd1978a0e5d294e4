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

extension DotTable {
  /// How many different keys the live rows have.
  ///
  /// - Complexity: O(1) while no two rows have the same key; otherwise, after each
  ///   change, expected O(rows that ever shared one). After rows were taken in, also
  ///   expected O(their number), once.
  @inlinable
  package var distinctKeyCount: Int {
    guard rowCount > 1 else { return rowCount }
    return rowCount &- shadowedDots().count
  }

  /// How many different keys some live rows have that are all there are with
  /// these keys, given by their dots in order.
  @inlinable
  package func distinctKeyCount(of dots: ContiguousArray<Dot>) -> Int {
    // What one replica writes replaces what it wrote before under the same key: only
    // a made-up state has two such rows, and counts them both.
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

  /// The dots of the rows that stand behind another with the same key, in order.
  @inlinable
  package func shadowedDots() -> ContiguousArray<Dot> {
    guard let index else { return scannedShadows() }
    let cache = current(index)
    guard !cache.index.pointee.twins.isEmpty else { return [] }
    if let shadows = cache.publishedShadows { return shadows.dots }
    return cache.publish(shadows: ShadowList(shadows(among: cache.index))).dots
  }

  @inlinable
  func shadows(among index: UnsafeMutablePointer<KeyIndex>) -> ContiguousArray<Dot> {
    var shadows: ContiguousArray<Dot> = []
    var isHandled: Set<Dot> = []
    for twin in index.pointee.twins where !isHandled.contains(twin) {
      guard let key = row(at: twin)?.key else { continue }
      var matches: ContiguousArray<Dot> = []
      forEachMatch(of: key, hash: index.pointee.hash(of: key), in: index) { matches.append($0) }
      matches.sort()
      isHandled.formUnion(matches)
      shadows.append(contentsOf: matches.dropFirst())
    }
    shadows.sort()
    return shadows
  }

  /// The shadows of a table so small that its rows are compared one by one.
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
