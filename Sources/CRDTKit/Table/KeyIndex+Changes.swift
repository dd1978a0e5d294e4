extension KeyIndex {
  /// Gives an ordinal to each column of a table that has none yet.
  @usableFromInline
  mutating func follow(_ replicas: [ReplicaID]) {
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

  /// The tag in the first slot where a hash may be.
  @inlinable
  func firstTag(for hash: UInt) -> UInt8 {
    let place = segment(of: hash)
    return segments[place].tags[Int(hash & UInt(segments[place].size &- 1))]
  }

  /// Adds an entry if there is room and none that may be for the same key; says
  /// whether it did.
  @inlinable
  mutating func insertIfNew(_ entry: KeyIndexEntry, hash: UInt) -> Bool {
    let place = segment(of: hash)
    guard !segments[place].isFull else { return false }
    let tag = KeyIndex.tag(of: hash)
    let tags = segments[place].tags
    let mask = UInt(segments[place].size &- 1)
    var slot = hash & mask
    while tags[Int(slot)] != 0 {
      if tags[Int(slot)] == tag { return false }
      slot = (slot &+ 1) & mask
    }
    segments[place].set(entry, tag: tag, at: Int(slot))
    segments[place].used &+= 1
    entryCount &+= 1
    return true
  }

  /// Writes an entry in the place of a dead one, or in a free place.
  @inlinable
  mutating func place(
    _ counter: UInt64, column: Int, hash: UInt, replacing dead: Int?, orAt free: Int
  ) {
    let segment = segment(of: hash)
    let entry = KeyIndexEntry(counter: counter, ordinal: ordinals[column], hash: hash)
    segments[segment].set(entry, tag: KeyIndex.tag(of: hash), at: dead ?? free)
    if dead == nil {
      segments[segment].used &+= 1
      entryCount &+= 1
    }
  }

  /// The same entries in more segments, with room for some rows; `nil` where the
  /// entries don't know enough of their hashes.
  ///
  /// A segment's entries go to segments beside one another, in their order.
  @usableFromInline
  func grown(room: Int) -> KeyIndex? {
    var grown = KeyIndex(room: room, secret: secret)
    guard grown.segments.count <= KeyIndex.knownSegmentMax else { return nil }
    grown.entryCount = entryCount
    grown.covered = covered
    grown.columnPlaces = columnPlaces
    grown.ordinals = ordinals
    grown.coveredEvents = coveredEvents
    grown.twins = twins
    grown.crowds = crowds
    for segment in segments {
      for slot in 0..<segment.size where segment.tags[slot] != 0 {
        let entry = segment.entries[slot]
        let place = grown.segment(of: entry.hash)
        if grown.segments[place].isFull {
          guard grown.segments[place].size < KeyIndex.knownSlotMax else { return nil }
          grown.segments[place].double()
        }
        grown.segments[place].insert(entry, hash: entry.hash, tag: segment.tags[slot])
      }
    }
    return grown
  }

  /// Notes that a column is covered up to a counter, and so all events are.
  @inlinable
  mutating func cover(_ counter: UInt64, column: Int, events: UInt64) {
    covered[Int(ordinals[column])].counter = counter
    coveredEvents = events
  }
}
