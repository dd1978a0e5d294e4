extension DotTable {
  /// The greatest number of rows that are searched one by one.
  @inlinable
  static var scannedCount: Int { 16 }

  /// Returns the dots of the live rows with a key, in order.
  ///
  /// - Complexity: Expected O(rows with the key); the first time after receiving events
  ///   from another copy, also O(their rows).
  @inlinable
  @inline(never)  // The caller holds the table, whose index is read by its address.
  package func dots(of key: Key) -> ContiguousArray<Dot> {
    var dots: ContiguousArray<Dot> = []
    forEachMatch(of: key) { dots.append($0) }
    if dots.count > 1 { dots.sort() }
    return dots
  }

  /// Whether two live rows may have the same key; it can tell only if there is an index.
  @inlinable
  var mayShareKeys: Bool {
    currentIndex.map { !$0.pointee.twins.isEmpty } ?? true
  }

  /// Returns whether there is a live row with the key.
  @inlinable
  @inline(never)
  package func contains(_ key: Key) -> Bool {
    var isFound = false
    forEachMatch(of: key) { _ in isFound = true }
    return isFound
  }

  /// Calls the body with the dot of each live row with a key.
  @inlinable
  @inline(__always)
  func forEachMatch(of key: Key, _ body: (Dot) -> Void) {
    forEachRow(
      hashedAs: key, where: { KeyIdentity.areSame($0, key) }, visit: { dot, _ in body(dot) })
  }

  /// Visits the dot and address of each live row whose key satisfies a condition; such keys
  /// must have the hash of the given value, and be the same unless `ofOneKey` is `false`.
  ///
  /// The addresses are valid during the call.
  @inlinable
  @inline(__always)
  func forEachRow(
    hashedAs key: some Hashable, ofOneKey: Bool = true, where isMatch: (Key) -> Bool,
    visit: (_ dot: Dot, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    guard rowCount > 0 else { return }
    if let index = currentIndex {
      forEachRow(
        hash: index.pointee.hash(of: key), in: index, ofOneKey: ofOneKey, where: isMatch,
        visit: visit)
    } else {
      forEachAddress { dot, row in if isMatch(row.pointee.key) { visit(dot, row) } }
    }
  }

  /// Visits each live row that an index has for a hash and whose key satisfies a condition.
  @inlinable
  @inline(__always)
  func forEachRow(
    hash: UInt, in index: UnsafeMutablePointer<KeyIndex>, ofOneKey: Bool = true,
    where isMatch: (Key) -> Bool,
    visit: (_ dot: Dot, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    let bits = KeyIndexEntry.bits(of: hash)
    let segment = index.pointee.segments[index.pointee.segment(of: hash)]
    let mask = UInt(segment.size &- 1)
    var slot = hash & mask
    while !segment.entries[Int(slot)].isFree {
      let entry = segment.entries[Int(slot)]
      if entry.has(bits) {
        let (column, counter) = index.pointee.row(of: entry)
        if let row = address(of: counter, column: column), isMatch(row.pointee.key) {
          visit(Dot(columns[column].replica, counter), row)
          // Without twins, no other row has this key.
          if ofOneKey, index.pointee.twins.isEmpty { return }
        }
      }
      slot = (slot &+ 1) & mask
    }
    if !index.pointee.crowds.isEmpty {
      forEachRow(inCrowdOf: hash, in: index) { dot, row in
        if isMatch(row.pointee.key) { visit(dot, row) }
      }
    }
  }

  @inlinable
  @inline(never)
  func forEachRow(
    inCrowdOf hash: UInt, in index: UnsafeMutablePointer<KeyIndex>,
    _ visit: (_ dot: Dot, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    for dot in index.pointee.crowds[hash]?.dots ?? [] {
      if let row = address(of: dot) { visit(dot, row) }
    }
  }

  /// Returns the address of the live row at a dot, which is valid while the table is held
  /// and not changed.
  @inlinable
  func address(of dot: Dot) -> UnsafeMutablePointer<Row<Key, Payload>>? {
    column(of: dot.replica).flatMap { address(of: dot.counter, column: $0) }
  }

  /// The same for a column's event.
  @inlinable
  @inline(__always)
  func address(of counter: UInt64, column: Int) -> UnsafeMutablePointer<Row<Key, Payload>>? {
    columns.withElement(at: column) { Column.address(of: counter, in: $0) }
  }

  /// Visits the entries that may belong to a key: those with its bits of the hash.
  ///
  /// It calls `live` for each live row whose key satisfies the condition, and `dead` for each
  /// removed row. It visits all such entries, because there are at most `matchMax` of them.
  ///
  /// - Returns: The slot of the next entry for the key; `nil` if there are `matchMax`
  ///   entries that may belong to it.
  @inlinable
  @inline(__always)
  func probe(
    _ hash: UInt, in index: UnsafeMutablePointer<KeyIndex>, where isMatch: (Key) -> Bool,
    live: (_ dot: Dot, _ slot: Int, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void,
    dead: (_ slot: Int) -> Void
  ) -> Int? {
    let bits = KeyIndexEntry.bits(of: hash)
    let place = index.pointee.segment(of: hash)
    let entries = index.pointee.segments[place].entries
    let mask = UInt(index.pointee.segments[place].size &- 1)
    var slot = hash & mask
    var matchCount = 0
    while !entries[Int(slot)].isFree {
      let entry = entries[Int(slot)]
      if entry.has(bits) {
        let (column, counter) = index.pointee.row(of: entry)
        if let row = address(of: counter, column: column) {
          if isMatch(row.pointee.key) {
            live(Dot(columns[column].replica, counter), Int(slot), row)
          }
        } else {
          dead(Int(slot))
        }
        matchCount &+= 1
        if matchCount == KeyIndex.matchMax { return nil }
      }
      slot = (slot &+ 1) & mask
    }
    return Int(slot)
  }

  /// An index that covers all events: the table's own, or one that its cache publishes;
  /// `nil` if there is none.
  ///
  /// The address is valid while the table is held and not changed.
  @inlinable
  @inline(__always)
  var currentIndex: UnsafeMutablePointer<KeyIndex>? {
    // Only the address is read, so nothing is retained.
    guard let own = index?.index else { return nil }
    return own.pointee.coveredEvents == eventCount ? own : extendedIndex
  }

  @inlinable
  @inline(never)
  var extendedIndex: UnsafeMutablePointer<KeyIndex>? { index.map { extended($0).index } }

  /// Returns a cache whose index covers all events, and which the given one publishes.
  @inlinable
  func extended(_ cache: KeyIndexCache) -> KeyIndexCache {
    if let extended = cache.publishedExtension { return extended }
    let successor = KeyIndexCache(cache.index.pointee)
    extend(successor.index)
    return cache.publish(extension: successor)
  }

  /// Extends an index to all events of the table.
  @inlinable
  func extend(_ index: UnsafeMutablePointer<KeyIndex>) {
    makeRoom(in: index)
    follow(with: index)
    for place in columns.indices { cover(place, in: index) }
    index.pointee.coveredEvents = eventCount
  }

  /// Extends an index to all events of the table, if it covers all events of the other
  /// columns.
  @inlinable
  func extend(
    _ index: UnsafeMutablePointer<KeyIndex>, by changed: borrowing ContiguousArray<Replica>
  ) {
    // An index that was made anew covers no events.
    guard !makeRoom(in: index) else { return extend(index) }
    follow(with: index)
    for place in changed.indices {
      if let mine = column(of: changed[place].replica) { cover(mine, in: index) }
    }
    index.pointee.coveredEvents = eventCount
  }

  /// Enlarges an index that is full, or rebuilds it if most of its entries are of removed
  /// rows; returns whether it did.
  @inlinable
  @discardableResult
  func makeRoom(in index: UnsafeMutablePointer<KeyIndex>) -> Bool {
    let isWorn =
      index.pointee.entryCount > 2 &* rowCount &+ 64
      || index.pointee.blocks.count > 2 &* rowCount &+ 1_024
    let mostNew = eventCount &- index.pointee.coveredEvents
    let more = mostNew < UInt64(rowCount) ? Int(mostNew) : rowCount
    if isWorn {
      index.pointee = index.pointee.emptied(room: rowCount)
      return true
    }
    index.pointee.makeBlockRoom()
    let room = index.pointee.entryCount &+ more
    guard room > index.pointee.room else { return false }
    index.pointee =
      index.pointee.grown(room: room) ?? index.pointee.emptied(room: rowCount)
    return true
  }

  /// Adds entries for the rows of a column that an index doesn't cover.
  @inlinable
  func cover(_ place: Int, in index: UnsafeMutablePointer<KeyIndex>) {
    let ordinal = Int(index.pointee.ordinals[place])
    let covered = index.pointee.covered[ordinal].counter
    // A column is read in place, because a copy copies four references.
    guard covered < columns[place].seen else { return }
    for pageSlot in columns[place].pageSlots[
      Swift.max(columns[place].pageSlot(of: covered &+ 1), 0)...]
    {
      insertRows(of: pageSlot.page, after: covered, column: place, in: index)
    }
    index.pointee.covered[ordinal].counter = columns[place].seen
  }

  /// Adds entries for a page's rows.
  ///
  /// It computes all hashes first, and reads the entry in each one's first slot. So these
  /// reads wait for memory together, not one after another.
  @inlinable
  func insertRows(
    of page: Page<Key, Payload>, after covered: UInt64, column: Int,
    in index: UnsafeMutablePointer<KeyIndex>
  ) {
    let first = page.slot(notBelow: covered &+ 1)
    withUnsafeTemporaryAllocation(
      of: (hash: UInt, mayBeThere: Bool).self, capacity: LiveBits.slotCount
    ) { rows in
      var count = 0
      page.forEachRow(from: first) { _, row in
        let hash = index.pointee.hash(of: row.key)
        let mayBeThere = index.pointee.firstEntry(for: hash).has(KeyIndexEntry.bits(of: hash))
        rows.initializeElement(at: count, to: (hash, mayBeThere))
        count &+= 1
      }
      var next = 0
      page.forEachRow(from: first) { slot, row in
        let (hash, mayBeThere) = rows[next]
        next &+= 1
        let counter = page.counter(at: slot)
        // The key is almost always new; only otherwise the existing entries matter.
        if !mayBeThere, index.pointee.crowds.isEmpty,
          let entry = index.pointee.entry(at: counter, column: column, hash: hash),
          index.pointee.insertIfNew(entry, hash: hash)
        {
          return
        }
        insert(row.key, at: counter, column: column, in: index)
      }
    }
  }

  /// Adds an entry for a live row, in place of a removed one with the same hash if there
  /// is one; records if another live row has the same key.
  @inlinable
  func insert(
    _ key: Key, at counter: UInt64, column: Int, in index: UnsafeMutablePointer<KeyIndex>
  ) {
    let hash = index.pointee.hash(of: key)
    growIfFull(index.pointee.segment(of: hash), in: index)
    var target = -1
    var twin: Dot?
    let free = probe(
      hash, in: index, where: { KeyIdentity.areSame($0, key) }, live: { dot, _, _ in twin = dot },
      dead: { slot in target = slot })
    if twin == nil, !index.pointee.crowds.isEmpty { twin = twinInCrowd(of: key, hash, in: index) }
    if let twin {
      // The other rows with this key were recorded when this row or its twin was added.
      index.pointee.twins.append(Dot(columns[column].replica, counter))
      index.pointee.twins.append(twin)
      if index.pointee.twins.count > 4 &* rowCount &+ 1_024 { compactTwins(of: index) }
    }
    guard let slot = target < 0 ? free : target,
      let entry = index.pointee.entry(at: counter, column: column, hash: hash)
    else {
      return addToCrowd(Dot(columns[column].replica, counter), of: hash, in: index)
    }
    index.pointee.place(entry, hash: hash, at: slot, isFree: target < 0)
  }

  @inlinable
  @inline(never)
  func addToCrowd(_ dot: Dot, of hash: UInt, in index: UnsafeMutablePointer<KeyIndex>) {
    var crowd = index.pointee.crowds.removeValue(forKey: hash) ?? KeyCrowd()
    let countBefore = crowd.dots.count
    if countBefore >= crowd.countMax { crowd.removeDead { row(at: $0) == nil } }
    crowd.dots.append(dot)
    index.pointee.entryCount &+= crowd.dots.count &- countBefore
    index.pointee.crowds[hash] = crowd
  }

  /// Returns a live row with a key that has no entry; drops the removed rows before it.
  @inlinable
  @inline(never)
  func twinInCrowd(
    of key: Key, _ hash: UInt, in index: UnsafeMutablePointer<KeyIndex>
  ) -> Dot? {
    guard var crowd = index.pointee.crowds.removeValue(forKey: hash) else { return nil }
    let twin = crowd.dots.first { dot in
      address(of: dot).map { KeyIdentity.areSame($0.pointee.key, key) } ?? false
    }
    let countBefore = crowd.dots.count
    if twin == nil { crowd.removeDead { row(at: $0) == nil } }
    index.pointee.entryCount &+= crowd.dots.count &- countBefore
    if !crowd.dots.isEmpty { index.pointee.crowds[hash] = crowd }
    return twin
  }

  /// Drops removed twins and duplicates.
  ///
  /// Counters cause these, because their rows replace one another.
  @inlinable
  @inline(never)
  func compactTwins(of index: UnsafeMutablePointer<KeyIndex>) {
    index.pointee.twins.sort()
    var kept: ContiguousArray<Dot> = []
    for twin in index.pointee.twins where kept.last != twin && row(at: twin) != nil {
      kept.append(twin)
    }
    index.pointee.twins = kept
  }

  /// Doubles a segment that is almost full, and leaves out removed rows.
  @inlinable
  func growIfFull(_ place: Int, in index: UnsafeMutablePointer<KeyIndex>) {
    if index.pointee.segments[place].isFull { grow(place, in: index) }
  }

  @inlinable
  @inline(never)
  func grow(_ place: Int, in index: UnsafeMutablePointer<KeyIndex>) {
    let segment = index.pointee.segments[place]
    var live: ContiguousArray<Int> = []
    live.reserveCapacity(segment.size)
    for slot in 0..<segment.size where !segment.entries[slot].isFree {
      let (column, counter) = index.pointee.row(of: segment.entries[slot])
      if columns[column].find(counter) != nil { live.append(slot) }
    }
    index.pointee.entryCount &+= live.count &- segment.used
    let isCrowded = live.count &* 2 > segment.size
    let storage = KeyIndexStorage(size: isCrowded ? segment.size &* 2 : segment.size)
    var larger = KeyIndexSegment(storage)
    let isKnown = larger.size <= KeyIndex.knownSlotMax
    for slot in live {
      let entry = segment.entries[slot]
      let hash = isKnown ? entry.hash : fullHash(of: entry, in: index)
      larger.insert(entry, hash: hash)
    }
    index.pointee.replace(place, with: storage, used: larger.used)
  }
}

extension DotTable {
  /// Returns the whole hash of an entry's key, if the row is live.
  @inlinable
  func fullHash(of entry: KeyIndexEntry, in index: UnsafeMutablePointer<KeyIndex>) -> UInt {
    let (column, counter) = index.pointee.row(of: entry)
    guard let found = columns[column].find(counter) else { return entry.hash }
    let page = columns[column].pageSlots[found.pageSlot].page
    return index.pointee.hash(of: page.key(at: found.slot))
  }
}
