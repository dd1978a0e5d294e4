/// An index of the rows under a prefix of nested keys: all rows of a map's entry.
///
/// It finds prefixes by their hash; the caller compares the keys. It stores the dots of a
/// prefix as runs, so a set of a million elements inserted one after another is one run.
@frozen
@usableFromInline
package struct GroupIndex: Sendable {
  /// Events of one replica with consecutive counters.
  @frozen
  @usableFromInline
  struct Run: Sendable {
    @usableFromInline let replica: ReplicaID
    @usableFromInline let first: UInt64
    @usableFromInline var last: UInt64

    @inlinable
    init(_ dot: Dot) {
      replica = dot.replica
      first = dot.counter
      last = dot.counter
    }
  }

  @usableFromInline typealias Shard = [Int: ContiguousArray<Run>]

  /// Runs by the hash of their prefix, split into shards, so that a change after a copy
  /// copies only one shard.
  @usableFromInline var shards: ContiguousArray<Shard>
  @usableFromInline var covered: VersionVector = [:]
  @usableFromInline var coveredEvents: UInt64 = 0
  /// Runs that may still grow, each at an index given by its hash.
  @usableFromInline var openRuns: ContiguousArray<(hash: Int, run: Run)?> = []
  /// The number of added dots, including those of removed rows.
  @usableFromInline var dotCount = 0
  /// The number of dots when the index was last built from the live rows.
  @usableFromInline var renewedDotCount = 0

  @inlinable
  init(room: Int) {
    shards = ContiguousArray(repeating: [:], count: Swift.max(room / 256, 1))
  }

  @inlinable
  func shard(of hash: Int) -> Int {
    Int(UInt(bitPattern: hash) % UInt(shards.count))
  }

  @inlinable
  func runs(of hash: Int) -> ContiguousArray<Run> {
    shards[shard(of: hash)][hash] ?? []
  }

  /// Adds a dot; call ``flush()`` before you look up runs.
  ///
  /// The rows of one group usually come one after another. Their run is put into its
  /// shard when it ends.
  @inlinable
  mutating func append(_ dot: Dot, under hash: Int) {
    dotCount &+= 1
    let place = hash & (Self.openCount - 1)
    if openRuns.isEmpty { openRuns = ContiguousArray(repeating: nil, count: Self.openCount) }
    if let open = openRuns[place] {
      if open.hash == hash, open.run.replica == dot.replica, open.run.last &+ 1 == dot.counter {
        openRuns[place]?.run.last = dot.counter
        return
      }
      close(open)
    }
    openRuns[place] = (hash, Run(dot))
  }

  /// Puts the open runs into their shards.
  @inlinable
  mutating func flush() {
    for case let open? in openRuns { close(open) }
    openRuns = []
  }

  @inlinable
  mutating func close(_ open: (hash: Int, run: Run)) {
    let shard = shard(of: open.hash)
    shards[shard][open.hash, default: []].append(following: open.run)
  }

  /// The number of runs that are kept open.
  @inlinable
  static var openCount: Int { 8 }
}

extension ContiguousArray<GroupIndex.Run> {
  /// Adds a run; extends the last one if the new run continues it.
  @inlinable
  mutating func append(following run: GroupIndex.Run) {
    let place = count - 1
    if place >= 0, self[place].replica == run.replica, self[place].last &+ 1 == run.first {
      self[place].last = run.last
    } else {
      append(run)
    }
  }
}

/// A key with prefixes under which its rows can be looked up together.
@usableFromInline
package protocol GroupedKey: Hashable {
  /// Calls the body with the hash of each prefix of the key.
  func forEachPrefixHash(_ body: (Int) -> Void)
}

extension NestedKey: GroupedKey {
  /// The prefixes are the first part, the first two parts, and so on, but not the whole
  /// key.
  @inlinable
  package func forEachPrefixHash(_ body: (Int) -> Void) {
    let hash = KeyIdentity.hash(of: outer)
    body(hash)
    guard let inner = inner as? any GroupedKey else { return }
    inner.forEachPrefixHash { body(NestedKey.prefixHash(hash, $0)) }
  }

  /// Returns the hash of a prefix that continues below an outer key.
  @inlinable
  package static func prefixHash(_ outer: Int, _ inner: Int) -> Int {
    outer &* 31 &+ inner ^ (inner &>> 32)
  }
}

extension DotTable {
  /// Returns the dots of the live rows whose keys have a prefix, given by its hash and a
  /// check for each key.
  ///
  /// - Complexity: Expected O(rows that were ever under the prefix since the index was
  ///   last rebuilt), which is at most about twice those of the table.
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
          isUnder(columns[place].pageSlots[found.pageSlot].page.key(at: found.slot))
        else { continue }
        dots.append(Dot(run.replica, counter))
      }
    }
    dots.sort()
    return dots
  }

  /// Returns a cache whose groups cover all events: the given one, or a new one that it
  /// publishes.
  @inlinable
  func currentGroups(_ cache: KeyIndexCache) -> KeyIndexCache {
    if let groups = cache.groups, groups.coveredEvents == eventCount { return cache }
    if let extended = cache.publishedGroups { return extended }
    var groups = cache.groups ?? GroupIndex(room: rowCount)
    extend(&groups)
    return cache.publish(groups: KeyIndexCache(KeyIndex(), groups: groups))
  }

  /// Extends groups to all events of the table.
  @inlinable
  func extend(_ groups: inout GroupIndex) {
    // A row is under several prefixes, so the number of rows doesn't show how many dots
    // are dead.
    let isWorn = groups.dotCount > 2 &* Swift.max(groups.renewedDotCount, rowCount) &+ 1_024
    // An index built from few rows has few shards, so each change after a copy would copy
    // much.
    let isOutgrown = rowCount > 1_024 &* groups.shards.count
    if isWorn || isOutgrown { groups = GroupIndex(room: rowCount) }
    for column in columns {
      let covered = groups.covered[column.replica]
      guard covered < column.seen else { continue }
      for pageSlot in column.pageSlots[Swift.max(column.pageSlot(of: covered &+ 1), 0)...] {
        let page = pageSlot.page
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

  /// Prepares the groups for a lookup before a change: extends them in place if only this
  /// table holds them.
  @inlinable
  package mutating func prepareGroups() {
    guard index != nil else { return }
    detachIndex()
    guard let index, var groups = index.groups, groups.coveredEvents != eventCount else { return }
    index.groups = nil
    extend(&groups)
    index.groups = groups
  }

  /// Prepares the groups for lookups by this table and by copies made of it now: extends
  /// them in place if no other copy uses them.
  ///
  /// Without this, each lookup after a change by a copy would build groups of its own.
  ///
  /// - Complexity: O(rows written since the groups were last extended).
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
