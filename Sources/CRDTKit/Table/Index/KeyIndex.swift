/// Finds the dots of the rows with a key: a hash table of dots, not of keys.
///
/// An entry holds a dot and some bits of its key's hash; it is checked against
/// the row's page when used, so rows can die, and tables can merge, without
/// touching the index. The index covers each replica's events up to some
/// counter, and is extended when a lookup first needs more.
///
/// The table is cut into segments by some bits of the hash. A copy shares the
/// segments, and a change after a copy copies one of them.
@frozen
@usableFromInline
package struct KeyIndex: Sendable {
  /// How many entries a segment may hold on average before there are more segments.
  @inlinable
  static var segmentLoadMax: Int { 3_072 }

  @usableFromInline var segments: ContiguousArray<KeyIndexSegment>
  /// How many entries there are, those of dead rows included.
  @usableFromInline var entryCount: Int
  /// The replicas by ordinal, and how many of their events are covered.
  @usableFromInline var covered: ContiguousArray<VersionVector.Entry>
  /// The place of each ordinal's column in the table.
  @usableFromInline var columnPlaces: ContiguousArray<Int>
  /// The ordinal of each column of the table.
  @usableFromInline var ordinals: ContiguousArray<UInt32>
  /// How many events are covered.
  @usableFromInline package var coveredEvents: UInt64
  /// Rows that, when they were indexed, shared their key with another.
  @usableFromInline package var twins: ContiguousArray<Dot>
  /// By the hash of their key, rows for which there were entries enough: they would be
  /// passed over one by one to add the next, in time quadratic in their number.
  @usableFromInline package var crowds: [UInt: KeyCrowd]

  /// What keeps others from choosing integers whose hashes collide.
  @usableFromInline let secret: HashSecret

  /// An index that covers nothing, with room for some rows.
  @usableFromInline
  init(room: Int = 0, secret: HashSecret = HashSecret()) {
    self.secret = secret
    var count = 1
    while count &* KeyIndex.segmentLoadMax < room &+ room / 4 { count &*= 2 }
    // Of many segments, each is as large as it will become.
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

  /// Up to how many segments, and slots of each, entries know where they stand.
  @inlinable
  static var knownSegmentMax: Int { 1 << 11 }
  @inlinable
  static var knownSlotMax: Int { 1 << 13 }

  /// How many entries with one tag are passed over to add another.
  @inlinable
  static var matchMax: Int { 16 }

  /// How many entries there may be before there should be more segments.
  @inlinable
  var room: Int { segments.count &* KeyIndex.segmentLoadMax }

  /// The place of the segment of a hash: the highest bits of those that entries
  /// keep say, or of all where these are too few.
  ///
  /// In its segment the lowest bits say where an entry stands.
  @inlinable
  func segment(of hash: UInt) -> Int {
    if segments.count <= KeyIndex.knownSegmentMax {
      return Int(((hash &>> 13 & 0x7FF) &* UInt(segments.count)) &>> 11)
    }
    return Int(hash.multipliedFullWidth(by: UInt(segments.count)).high)
  }

  /// The bits of a hash that tell most entries of one slot apart.
  @inlinable
  static func tag(of hash: UInt) -> UInt8 {
    UInt8(truncatingIfNeeded: hash &>> 32) | 0x80
  }

  /// The hash of a key in this index.
  @inlinable
  func hash(of key: some Hashable) -> UInt {
    if let word = KeyIdentity.word(of: key) { return secret.hash(word) }
    return UInt(bitPattern: KeyIdentity.hash(of: key))
  }
}

/// Rows whose keys have one hash, beyond those with entries.
@frozen
@usableFromInline
package struct KeyCrowd: Sendable {
  /// Their dots, those of dead rows among them.
  @usableFromInline var dots: ContiguousArray<Dot> = []
  /// With how many the dead ones are left out again.
  @usableFromInline var countMax = 64

  @inlinable
  init() {}

  @inlinable
  mutating func removeDead(_ isDead: (Dot) -> Bool) {
    dots.removeAll(where: isDead)
    countMax = 2 &* dots.count &+ 64
  }
}

/// A dot in an index, with its replica as an ordinal, and the bits of its key's
/// hash that say where it stands.
///
/// With these an index grows without a look at the rows.
@frozen
@usableFromInline
struct KeyIndexEntry: Sendable, BitwiseCopyable {
  // 48 bits of counter, 24 of ordinal and 24 of hash, in 12 bytes, not 16: a table
  // of 2²⁴ replicas would take gigabytes.
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

  @inlinable
  var counter: UInt64 { UInt64(middle & 0xFFFF) &<< 32 | UInt64(low) }

  @inlinable
  var ordinal: UInt32 { middle &>> 16 | (high & 0xFF) &<< 16 }

  /// The bits of the hash.
  @inlinable
  var hash: UInt { UInt(high &>> 8) }
}

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
