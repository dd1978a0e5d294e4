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
  @usableFromInline var shards: SharedList<Shard>
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
    shards = SharedList(ContiguousArray(repeating: [:], count: Swift.max(room / 256, 1)))
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
    shards.update(shard(of: open.hash)) {
      $0[open.hash, default: []].append(following: open.run)
    }
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
    forEachRow(under: hash) { dot, row in if isUnder(row.pointee.key) { dots.append(dot) } }
    return dots
  }

  /// Calls the body with the dot and address of each live row whose key has a prefix with
  /// the hash, and maybe of other rows, in the order of dots.
  ///
  /// The addresses are valid during the call.
  ///
  /// - Complexity: As ``dots(under:where:)``.
  @inlinable
  package func forEachRow(
    under hash: Int, _ body: (_ dot: Dot, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    guard let index else { return forEachAddress(body) }
    guard let runs = currentGroups(index).groups?.runs(of: hash) else { return }
    let isInOrder = runs.indices.dropFirst().allSatisfy {
      Dot(runs[$0 &- 1].replica, runs[$0 &- 1].last) < Dot(runs[$0].replica, runs[$0].first)
    }
    if isInOrder { return forEachRow(of: runs, body) }
    var rows: ContiguousArray<(dot: Dot, row: UnsafeMutablePointer<Row<Key, Payload>>)> = []
    forEachRow(of: runs) { rows.append(($0, $1)) }
    rows.sort { $0.dot < $1.dot }
    for row in rows { body(row.dot, row.row) }
  }

  /// Returns whether the rows under a prefix can be visited in a few steps: there is a list
  /// of them, and a short one, with the rows that were removed since it was made.
  package func hasFewRows(under hash: Int, atMost count: Int) -> Bool {
    guard let index else { return rowCount <= Self.scannedCount }
    guard let groups = index.publishedGroups?.groups ?? index.groups else { return false }
    var sum: UInt64 = 0
    for run in groups.runs(of: hash) where sum <= UInt64(count) { sum += run.last - run.first + 1 }
    return sum <= UInt64(count)
  }

  @inlinable
  func forEachRow(
    of runs: ContiguousArray<GroupIndex.Run>,
    _ body: (_ dot: Dot, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    for run in runs {
      guard let place = column(of: run.replica) else { continue }
      columns[place].forEachRow(in: run.first...run.last) { body(Dot(run.replica, $0), $1) }
    }
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
    // Columns are read in place, because copying one copies all its references.
    for place in columns.indices {
      let (replica, seen) = (columns[place].replica, columns[place].seen)
      let covered = groups.covered[replica]
      guard covered < seen else { continue }
      columns[place].forEachRow(in: covered &+ 1...seen) { counter, row in
        (row.pointee.key as? any GroupedKey)?.forEachPrefixHash { hash in
          groups.append(Dot(replica, counter), under: hash)
        }
      }
      groups.covered[replica] = seen
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
