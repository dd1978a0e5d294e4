extension DotTable {
  /// The dots of the live rows whose keys have a prefix: given by its hash, and
  /// checked for each key.
  ///
  /// - Complexity: Expected O(rows that were ever under the prefix since the
  ///   index was last renewed), which is at most about twice those of the table.
  @inlinable
  package func dots(under hash: Int, where isUnder: (Key) -> Bool) -> ContiguousArray<Dot> {
    var dots: ContiguousArray<Dot> = []
    guard let index else {
      forEachRow { dot, row in if isUnder(row.key) { dots.append(dot) } }
      return dots
    }
    guard let groups = currentGroups(index).groups else { return dots }
    for run in groups.runs(of: hash) {
      guard let place = column(of: run.replica) else { continue }
      for counter in run.first...run.last {
        guard let found = columns[place].find(counter),
          isUnder(columns[place].sheets[found.sheet].page.key(at: found.slot))
        else { continue }
        dots.append(Dot(run.replica, counter))
      }
    }
    dots.sort()
    return dots
  }

  /// The cache whose groups cover all events: the given one, or one that is made
  /// and published now.
  @inlinable
  func currentGroups(_ cache: KeyIndexCache) -> KeyIndexCache {
    if let groups = cache.groups, groups.coveredEvents == eventCount { return cache }
    if let extended = cache.publishedGroups { return extended }
    var groups = cache.groups ?? GroupIndex(room: rowCount)
    extend(&groups)
    return cache.publish(groups: KeyIndexCache(KeyIndex(), groups: groups))
  }

  /// Brings groups up to all events of the table.
  @inlinable
  func extend(_ groups: inout GroupIndex) {
    // A row stands under several prefixes, so rows alone don't tell how many dots are dead.
    let isWorn = groups.dotCount > 2 &* Swift.max(groups.renewedDotCount, rowCount) &+ 1_024
    // Made of few rows, it has few shards: each change after a copy would copy much.
    let isOutgrown = rowCount > 1_024 &* groups.shards.count
    if isWorn || isOutgrown { groups = GroupIndex(room: rowCount) }
    for column in columns {
      let covered = groups.covered[column.replica]
      guard covered < column.seen else { continue }
      for sheet in column.sheets[Swift.max(column.sheet(of: covered &+ 1), 0)...] {
        let page = sheet.page
        page.forEachRow(from: page.slot(notBelow: covered &+ 1)) { slot, row in
          let counter = page.counter(at: slot)
          (row.key as? any GroupedKey)?.forEachPrefixHash { hash in
            groups.append(Dot(column.replica, counter), under: hash)
          }
        }
      }
      groups.covered[column.replica] = column.seen
    }
    groups.flush()
    if groups.coveredEvents == 0 { groups.renewedDotCount = groups.dotCount }
    groups.coveredEvents = eventCount
  }

  /// Before a lookup that a change follows: brings the groups up to date in place
  /// where this table alone holds them.
  @inlinable
  package mutating func prepareGroups() {
    guard index != nil else { return }
    detachIndex()
    guard let index, var groups = index.groups, groups.coveredEvents != eventCount else { return }
    index.groups = nil
    extend(&groups)
    index.groups = groups
  }

  /// Before lookups by this table or by copies that are made of it now: brings the
  /// groups up to date in place, if no copy is there that uses them.
  ///
  /// Otherwise each lookup after a change by a copy would make groups of its own.
  ///
  /// - Complexity: O(rows written since the groups were last brought up to date).
  package mutating func prepareGroupsForReading() {
    guard index != nil, isKnownUniquelyReferenced(&index) else { return }
    detachIndex()
    guard let index else { return }
    var groups = index.groups ?? GroupIndex(room: rowCount)
    guard groups.coveredEvents != eventCount else { return }
    index.groups = nil
    extend(&groups)
    index.groups = groups
  }
}
