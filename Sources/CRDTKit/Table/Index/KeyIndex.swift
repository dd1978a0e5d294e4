/// An index of the rows with a key: a hash table of dots, not of keys.
///
/// An entry holds a dot and some bits of its key's hash. A lookup checks it against the
/// row's page. So rows can be removed and tables can merge without a change of the index.
/// The index covers each replica's events up to some counter; a lookup that needs more
/// extends it.
///
/// Some bits of the hash select a segment of the table. Copies share the segments, and a
/// change after a copy copies only one of them.
@frozen
@usableFromInline
package struct KeyIndex: Sendable {
  /// The average number of entries in a segment above which the index gets more segments.
  @inlinable
  static var segmentLoadMax: Int { 3_072 }

  @usableFromInline var segments: ContiguousArray<KeyIndexSegment>
  /// The number of entries, including those of removed rows.
  @usableFromInline var entryCount: Int
  /// The replicas by ordinal, each with the number of its events that are covered.
  @usableFromInline var covered: ContiguousArray<VersionVector.Entry>
  /// The index of each ordinal's column in the table.
  @usableFromInline var columnPlaces: ContiguousArray<Int>
  /// The ordinal of each column of the table.
  @usableFromInline var ordinals: ContiguousArray<UInt32>
  /// The number of events that are covered.
  @usableFromInline package var coveredEvents: UInt64
  /// Rows that shared their key with another row when they were indexed.
  @usableFromInline package var twins: ContiguousArray<Dot>
  /// Rows without entries, by the hash of their key, because it has many entries already.
  ///
  /// Adding more entries would skip all of these one by one, in time quadratic in their
  /// number.
  @usableFromInline package var crowds: [UInt: KeyCrowd]

  /// A secret that prevents others from choosing integers whose hashes collide.
  @usableFromInline let secret: HashSecret

  /// Creates an index that covers no events, with room for the given number of rows.
  @usableFromInline
  init(room: Int = 0, secret: HashSecret = HashSecret()) {
    self.secret = secret
    var count = 1
    while count &* KeyIndex.segmentLoadMax < room &+ room / 4 { count &*= 2 }
    // If there are many segments, each begins at its final size.
    var size = count > 1 ? 4_096 : 32
    while size &* 2 < room / count &* 3 { size &*= 2 }
    segments = []
    segments.reserveCapacity(count)
    for _ in 0..<count { segments.append(KeyIndexSegment(size: size)) }
    entryCount = 0
    covered = []
    columnPlaces = []
    ordinals = []
    coveredEvents = 0
    twins = []
    crowds = [:]
  }

  /// The greatest numbers of segments, and of slots in each, for which the entries' hash
  /// bits suffice.
  @inlinable
  static var knownSegmentMax: Int { 1 << 11 }
  @inlinable
  static var knownSlotMax: Int { 1 << 13 }

  /// The greatest number of entries with one tag and the same bits of the hash.
  @inlinable
  static var matchMax: Int { 16 }

  /// The number of entries above which there should be more segments.
  @inlinable
  var room: Int { segments.count &* KeyIndex.segmentLoadMax }

  /// Returns the index of a hash's segment, from the highest of the bits that entries
  /// keep, or from all bits if these are too few.
  ///
  /// Within the segment, the lowest bits select the slot.
  @inlinable
  func segment(of hash: UInt) -> Int {
    if segments.count <= KeyIndex.knownSegmentMax {
      return Int(((hash &>> 13 & 0x7FF) &* UInt(segments.count)) &>> 11)
    }
    return Int(hash.multipliedFullWidth(by: UInt(segments.count)).high)
  }

  /// Returns bits of a hash that distinguish most entries of one slot.
  @inlinable
  static func tag(of hash: UInt) -> UInt8 {
    UInt8(truncatingIfNeeded: hash &>> 32) | 0x80
  }

  /// Returns the hash of a key in this index.
  @inlinable
  func hash(of key: some Hashable) -> UInt {
    if let word = KeyIdentity.word(of: key) { return secret.hash(word) }
    return UInt(bitPattern: KeyIdentity.hash(of: key))
  }
}

/// Rows whose keys have the same hash, beyond those with entries.
@frozen
@usableFromInline
package struct KeyCrowd: Sendable {
  /// Their dots, including those of removed rows.
  @usableFromInline var dots: ContiguousArray<Dot> = []
  /// The number of dots at which removed rows are dropped again.
  @usableFromInline var countMax = 64

  @inlinable
  init() {}

  @inlinable
  mutating func removeDead(_ isDead: (Dot) -> Bool) {
    dots.removeAll(where: isDead)
    countMax = 2 &* dots.count &+ 64
  }
}

/// A dot in an index: its replica as an ordinal, and the bits of its key's hash that
/// select its slot.
///
/// With these bits, an index grows without reading the rows.
@frozen
@usableFromInline
struct KeyIndexEntry: Sendable, BitwiseCopyable {
  // 48 bits of counter, 24 of ordinal and 24 of hash, in 12 bytes, not 16: at 16 bytes, a
  // table of 2²⁴ replicas would take gigabytes.
  @usableFromInline let low: UInt32
  @usableFromInline let middle: UInt32
  @usableFromInline let high: UInt32

  @inlinable
  init(counter: UInt64, ordinal: UInt32, hash: UInt) {
    low = UInt32(truncatingIfNeeded: counter)
    let ordinalBits = ordinal & 0xFF_FFFF
    middle = UInt32(truncatingIfNeeded: counter &>> 32) & 0xFFFF | ordinalBits &<< 16
    high = ordinalBits &>> 16 | UInt32(truncatingIfNeeded: hash) &<< 8
  }

  /// Returns the bits of a hash that an entry keeps.
  @inlinable
  static func bits(of hash: UInt) -> UInt { hash & 0xFF_FFFF }

  @inlinable
  var counter: UInt64 { UInt64(middle & 0xFFFF) &<< 32 | UInt64(low) }

  @inlinable
  var ordinal: UInt32 { middle &>> 16 | (high & 0xFF) &<< 16 }

  /// The bits of the hash.
  @inlinable
  var hash: UInt { UInt(high &>> 8) }
}

extension KeyIndex {
  /// Assigns an ordinal to each new column of a table.
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

  /// Returns the tag in the first slot of a hash.
  @inlinable
  func firstTag(for hash: UInt) -> UInt8 {
    let place = segment(of: hash)
    return segments[place].tags[Int(hash & UInt(segments[place].size &- 1))]
  }

  /// Adds an entry if there is room and no entry that may have the same key; returns
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

  /// Writes an entry to the slot of a removed row, or to a free slot.
  @inlinable
  mutating func place(_ counter: UInt64, column: Int, hash: UInt, at slot: Int, isFree: Bool) {
    let segment = segment(of: hash)
    let entry = KeyIndexEntry(counter: counter, ordinal: ordinals[column], hash: hash)
    segments[segment].set(entry, tag: KeyIndex.tag(of: hash), at: slot)
    if isFree {
      segments[segment].used &+= 1
      entryCount &+= 1
    }
  }

  /// Returns an index with the same entries in more segments, with room for the given
  /// number of rows; `nil` if the entries' hash bits don't suffice.
  ///
  /// A segment's entries go to neighbouring segments, in their order.
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

  /// Records that a column is covered up to a counter, and that all events are covered
  /// then.
  @inlinable
  mutating func cover(_ counter: UInt64, column: Int, events: UInt64) {
    covered[Int(ordinals[column])].counter = counter
    coveredEvents = events
  }
}
