public import Synchronization

extension DotTable {
  /// Up to how many rows are searched one by one.
  @inlinable
  static var scannedCount: Int { 16 }

  /// The dots of the live rows with a key, in no particular order.
  ///
  /// - Complexity: Expected O(rows with the key); when events were taken in
  ///   since the last lookup, also O(their rows).
  @inlinable
  package func dots(of key: Key) -> ContiguousArray<Dot> {
    var dots: ContiguousArray<Dot> = []
    guard rowCount > 0 else { return dots }
    guard let index else {
      forEachRow { dot, row in if row.key == key { dots.append(dot) } }
      return dots
    }
    let cache = current(index)
    forEachMatch(of: key, hash: KeyIndex.hash(of: key), in: cache.index) { dot, _, _ in
      dots.append(dot)
    }
    return dots
  }

  /// Whether there is a live row with the key.
  @inlinable
  package func contains(_ key: Key) -> Bool {
    guard rowCount > 0 else { return false }
    var isFound = false
    guard let index else {
      forEachRow { _, row in isFound = isFound || row.key == key }
      return isFound
    }
    let cache = current(index)
    forEachMatch(of: key, hash: KeyIndex.hash(of: key), in: cache.index) { _, _, _ in
      isFound = true
    }
    return isFound
  }

  /// Calls the body with the dot, column and key's place of each live row that
  /// the index has for the key.
  @inlinable
  func forEachMatch(
    of key: Key, hash: UInt, in index: KeyIndex,
    _ body: (_ dot: Dot, _ segment: Int, _ slot: Int) -> Void
  ) {
    let place = index.segment(of: hash)
    let tag = KeyIndex.tag(of: hash)
    let mask = UInt(index.segments[place].entries.count &- 1)
    var slot = hash & mask
    while true {
      let entry = index.segments[place].entries[Int(slot)]
      guard entry.isUsed else { return }
      if entry.tag == tag {
        let column = index.columnPlaces[Int(entry.ordinal)]
        if isLive(entry.counter, in: column, under: key) {
          body(Dot(columns[column].replica, entry.counter), place, Int(slot))
        }
      }
      slot = (slot &+ 1) & mask
    }
  }

  @inlinable
  func isLive(_ counter: UInt64, in column: Int, under key: Key) -> Bool {
    let sheet = columns[column].sheet(of: counter)
    guard sheet >= 0 else { return false }
    let page = columns[column].sheets[sheet].page
    guard let slot = page.liveSlot(of: counter) else { return false }
    return page.key(at: slot) == key
  }

  /// The cache whose index covers all events: the given one, or one that is made
  /// and published now.
  @inlinable
  func current(_ cache: KeyIndexCache) -> KeyIndexCache {
    if cache.index.coveredEvents == eventCount { return cache }
    if let extended = cache.extended.load() { return extended }
    var index = cache.index
    extend(&index)
    return cache.extended.storeIfNil(KeyIndexCache(index))
  }

  /// Brings an index up to all events of the table.
  @inlinable
  func extend(_ index: inout KeyIndex) {
    let isWorn = index.entryCount > 2 &* rowCount &+ 64
    let mostNew = eventCount &- index.coveredEvents
    let more = mostNew < UInt64(rowCount) ? Int(mostNew) : rowCount
    let room = index.entryCount &+ more
    if isWorn || room > index.segments.count &* KeyIndex.segmentLoadMax {
      index = KeyIndex(room: rowCount)
    }
    index.follow(columns.lazy.map { $0.replica })
    for (place, column) in columns.enumerated() {
      let ordinal = index.ordinals[place]
      let covered = index.covered[Int(ordinal)].counter
      guard covered < column.seen else { continue }
      var sheet = Swift.max(column.sheet(of: covered &+ 1), 0)
      while sheet < column.sheets.count {
        let page = column.sheets[sheet].page
        let first = page.slot(notBelow: covered &+ 1)
        page.forEachRow { slot, row in
          guard slot >= first else { return }
          insert(row.key, at: page.counter(at: slot), column: place, in: &index)
        }
        sheet &+= 1
      }
      index.covered[Int(ordinal)].counter = column.seen
    }
    index.coveredEvents = eventCount
  }

  /// Adds an entry for a live row, in the place of a dead one with its hash where
  /// there is one, and notes if another live row has the same key.
  @inlinable
  func insert(_ key: Key, at counter: UInt64, column: Int, in index: inout KeyIndex) {
    let hash = KeyIndex.hash(of: key)
    let tag = KeyIndex.tag(of: hash)
    let entry = KeyIndex.Entry(counter: counter, ordinal: index.ordinals[column], tag: tag)
    let place = index.segment(of: hash)
    growIfFull(place, in: &index)
    let mask = UInt(index.segments[place].entries.count &- 1)
    var slot = hash & mask
    var target = -1
    while true {
      let other = index.segments[place].entries[Int(slot)]
      guard other.isUsed else { break }
      if other.tag == tag {
        let theirs = index.columnPlaces[Int(other.ordinal)]
        if columns[theirs].find(other.counter) == nil {
          if target < 0 { target = Int(slot) }
        } else if isLive(other.counter, in: theirs, under: key) {
          index.twins.append(Dot(columns[column].replica, counter))
          index.twins.append(Dot(columns[theirs].replica, other.counter))
        }
      }
      slot = (slot &+ 1) & mask
    }
    if target < 0 {
      target = Int(slot)
      index.segments[place].used &+= 1
      index.entryCount &+= 1
    }
    index.segments[place].entries[target] = entry
  }

  /// Doubles a segment that is three quarters full, leaving out dead rows.
  @inlinable
  func growIfFull(_ place: Int, in index: inout KeyIndex) {
    let size = index.segments[place].entries.count
    guard index.segments[place].used &* 4 >= size &* 3 else { return }
    var live: ContiguousArray<(KeyIndex.Entry, UInt)> = []
    live.reserveCapacity(size)
    for entry in index.segments[place].entries where entry.isUsed {
      let column = index.columnPlaces[Int(entry.ordinal)]
      guard let found = columns[column].find(entry.counter) else { continue }
      let key = columns[column].sheets[found.sheet].page.key(at: found.slot)
      live.append((entry, KeyIndex.hash(of: key)))
    }
    index.entryCount &+= live.count &- index.segments[place].used
    var larger = KeyIndex.Segment(size: live.count &* 2 > size ? size &* 2 : size)
    for (entry, hash) in live { larger.insert(entry, hash: hash) }
    index.segments[place] = larger
  }
}

extension KeyIndex {
  /// Gives an ordinal to each column of a table that has none yet.
  @inlinable
  mutating func follow(_ replicas: some Collection<ReplicaID>) {
    guard replicas.count != columnPlaces.count else { return }
    var known: [ReplicaID: UInt32] = [:]
    for (ordinal, entry) in covered.enumerated() { known[entry.replica] = UInt32(ordinal) }
    columnPlaces = ContiguousArray(repeating: 0, count: replicas.count)
    ordinals.removeAll(keepingCapacity: true)
    for (place, replica) in replicas.enumerated() {
      let ordinal = known[replica] ?? UInt32(covered.count)
      if known[replica] == nil { covered.append(VersionVector.Entry(replica, 0)) }
      columnPlaces[Int(ordinal)] = place
      ordinals.append(ordinal)
    }
  }
}
