/// An index of the rows with a key: a hash table of dots, not of keys.
///
/// An entry holds a dot, as a place in a block of counters, and some bits of its key's
/// hash. A lookup checks it against the row's page. So rows can be removed and tables can
/// merge without a change of the index. The index covers each replica's events up to some
/// counter; a lookup that needs more extends it.
///
/// Some bits of the hash select a segment of the table. Copies share the segments, and a
/// change after a copy copies only one of them.
@frozen
@usableFromInline
package struct KeyIndex: Sendable {
  /// The average number of entries in a segment above which the index gets more segments.
  @inlinable
  static var segmentLoadMax: Int { 2_560 }

  @usableFromInline var segments: ContiguousArray<KeyIndexSegment>
  /// What holds the entries of each segment.
  @usableFromInline var storages: SharedList<KeyIndexStorage>
  /// The number of entries and of rows in crowds, including removed rows.
  @usableFromInline var entryCount: Int
  /// The replicas by ordinal, each with the number of its events that are covered.
  @usableFromInline var covered: ContiguousArray<VersionVector.Entry>
  /// The index of each ordinal's column in the table.
  @usableFromInline var columnPlaces: ContiguousArray<Int>
  /// The ordinal of each column of the table.
  @usableFromInline var ordinals: ContiguousArray<UInt32>
  /// The blocks of counters that entries refer to, by number; the first is none.
  @usableFromInline var blocks: ContiguousArray<KeyIndexBlock>
  /// The number of each ordinal's last block; 0 for none.
  @usableFromInline var lastBlocks: ContiguousArray<UInt32>
  /// The number of blocks from which to look for blocks without entries.
  @usableFromInline var blockRoom = 1_024
  /// The greatest number of blocks, given by the bits of an entry; tests set less.
  ///
  /// The rows of further blocks are in crowds.
  @usableFromInline package var blockMax = 1 << 24
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
    storages = SharedList()
    for _ in 0..<count { storages.append(KeyIndexStorage(size: size)) }
    segments = ContiguousArray(storages.lazy.map { KeyIndexSegment($0) })
    entryCount = 0
    covered = []
    columnPlaces = []
    ordinals = []
    blocks = [KeyIndexBlock(start: 0, ordinal: 0)]
    lastBlocks = []
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

  /// The greatest number of entries with the same bits of the hash.
  @inlinable
  static var matchMax: Int { 16 }

  /// The number of entries above which there should be more segments.
  @inlinable
  var room: Int { segments.count &* KeyIndex.segmentLoadMax }

  /// The number of blocks, including those without entries.
  @inlinable
  package var blockCount: Int { blocks.count &- 1 }

  /// Whether an entry can be added without looking for more room.
  @inlinable
  var hasRoom: Bool { entryCount < room && blocks.count < blockRoom }

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

  /// Returns the hash of a key in this index.
  @inlinable
  @inline(__always)
  func hash(of key: some Hashable) -> UInt { secret.hash(of: key) }
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

/// A block of 1,024 consecutive counters of a replica, which is given by its ordinal.
@frozen
@usableFromInline
struct KeyIndexBlock: Sendable, BitwiseCopyable {
  @usableFromInline let start: UInt64
  @usableFromInline let ordinal: UInt32

  @inlinable
  init(start: UInt64, ordinal: UInt32) {
    self.start = start
    self.ordinal = ordinal
  }

  /// The counter at a place of the block.
  @inlinable
  func counter(at place: UInt64) -> UInt64 { start &+ place }

  /// The number of counters of a block.
  @inlinable
  static var size: UInt64 { UInt64(LiveBits.slotCount) }
}

/// An entry of an index, in 64 bits: the number of a block, a place in it, and bits of the
/// key's hash.
///
/// The lowest 24 bits of the hash select an entry's segment and slot, so an index grows
/// without reading the rows. Six more bits distinguish most entries of neighbouring slots.
@frozen
@usableFromInline
struct KeyIndexEntry: Sendable, BitwiseCopyable {
  @usableFromInline let bits: UInt64

  @inlinable
  init(bits: UInt64) {
    self.bits = bits
  }

  @inlinable
  init(block: UInt32, counter: UInt64, hash: UInt) {
    let place = (counter &- 1) & (KeyIndexBlock.size &- 1)
    bits = UInt64(block) &<< 40 | place &<< 30 | Self.bits(of: hash)
  }

  /// The entry of a free slot: no other one has the block 0.
  @inlinable
  static var free: KeyIndexEntry { KeyIndexEntry(bits: 0) }

  @inlinable
  var isFree: Bool { bits == 0 }

  /// Returns the bits of a hash that an entry keeps.
  @inlinable
  static func bits(of hash: UInt) -> UInt64 {
    UInt64(hash & 0xFF_FFFF) | UInt64(hash &>> 32 & 0x3F) &<< 24
  }

  /// Returns whether the entry has these bits of a hash.
  @inlinable
  func has(_ bits: UInt64) -> Bool { (self.bits ^ bits) & 0x3FFF_FFFF == 0 }

  /// The bits of the hash that select the segment and the slot.
  @inlinable
  var hash: UInt { UInt(bits & 0xFF_FFFF) }

  /// The number of the block.
  @inlinable
  var block: Int { Int(bits &>> 40) }

  /// The place in the block.
  @inlinable
  var place: UInt64 { bits &>> 30 & (KeyIndexBlock.size &- 1) }
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
      if known[replica] == nil {
        covered.append(VersionVector.Entry(replica, 0))
        lastBlocks.append(0)
      }
      columnPlaces[Int(ordinal)] = place
      ordinals.append(ordinal)
    }
  }

  /// Returns the index of an entry's column in the table, and the counter of its row.
  @inlinable
  @inline(__always)
  func row(of entry: KeyIndexEntry) -> (column: Int, counter: UInt64) {
    let block = blocks[entry.block]
    return (columnPlaces[Int(block.ordinal)], block.counter(at: entry.place))
  }

  /// Returns an index of the same kind that covers no events.
  @usableFromInline
  func emptied(room: Int) -> KeyIndex {
    var emptied = KeyIndex(room: room, secret: secret)
    emptied.blockMax = blockMax
    return emptied
  }

  /// Raises the number of blocks from which to look for blocks without entries.
  @inlinable
  mutating func makeBlockRoom() {
    if blocks.count &* 2 > blockRoom { blockRoom = blocks.count &* 2 }
  }

  /// Returns the entry for a row of a column; `nil` if there are too many blocks.
  @inlinable
  mutating func entry(at counter: UInt64, column: Int, hash: UInt) -> KeyIndexEntry? {
    let ordinal = ordinals[column]
    let last = lastBlocks[Int(ordinal)]
    let start = (counter &- 1) & ~(KeyIndexBlock.size &- 1) &+ 1
    if blocks[Int(last)].start == start {
      return KeyIndexEntry(block: last, counter: counter, hash: hash)
    }
    guard blocks.count < blockMax else { return nil }
    let block = UInt32(truncatingIfNeeded: blocks.count)
    blocks.append(KeyIndexBlock(start: start, ordinal: ordinal))
    lastBlocks[Int(ordinal)] = block
    return KeyIndexEntry(block: block, counter: counter, hash: hash)
  }

  /// Returns the entry in the first slot for a hash.
  @inlinable
  func firstEntry(for hash: UInt) -> KeyIndexEntry {
    let place = segment(of: hash)
    return segments[place].entries[Int(hash & UInt(segments[place].size &- 1))]
  }

  /// Adds an entry if there is room and no entry that may have the same key; returns
  /// whether it did.
  @inlinable
  mutating func insertIfNew(_ entry: KeyIndexEntry, hash: UInt) -> Bool {
    let place = segment(of: hash)
    guard !segments[place].isFull else { return false }
    let entries = segments[place].entries
    let mask = UInt(segments[place].size &- 1)
    let bits = KeyIndexEntry.bits(of: hash)
    var slot = hash & mask
    while !entries[Int(slot)].isFree {
      if entries[Int(slot)].has(bits) { return false }
      slot = (slot &+ 1) & mask
    }
    set(entry, at: Int(slot), of: place)
    segments[place].used &+= 1
    entryCount &+= 1
    return true
  }

  /// Writes an entry to the slot of a removed row, or to a free slot.
  @inlinable
  mutating func place(_ entry: KeyIndexEntry, hash: UInt, at slot: Int, isFree: Bool) {
    let segment = segment(of: hash)
    set(entry, at: slot, of: segment)
    if isFree {
      segments[segment].used &+= 1
      entryCount &+= 1
    }
  }

  /// Writes an entry in a slot of a segment, whose storage only this index holds then.
  @inlinable
  mutating func set(_ entry: KeyIndexEntry, at slot: Int, of place: Int) {
    precondition(slot < segments[place].size)
    if !storages.update(place, { isKnownUniquelyReferenced(&$0) }) {
      replace(place, with: KeyIndexStorage(copying: storages[place]), used: segments[place].used)
    }
    segments[place].entries[slot] = entry
  }

  /// Makes a segment use other entries.
  @usableFromInline
  mutating func replace(_ place: Int, with storage: KeyIndexStorage, used: Int) {
    storages.update(place) { $0 = storage }
    segments[place] = KeyIndexSegment(storage, used: used)
  }

  /// Makes a segment twice as large, whose entries' hashes are known from their bits.
  @usableFromInline
  mutating func double(_ place: Int) {
    let segment = segments[place]
    let storage = KeyIndexStorage(size: segment.size &* 2)
    var larger = KeyIndexSegment(storage)
    for slot in 0..<segment.size where !segment.entries[slot].isFree {
      larger.insert(segment.entries[slot], hash: segment.entries[slot].hash)
    }
    replace(place, with: storage, used: larger.used)
  }

  /// Returns an index with the same entries in more segments, with room for the given
  /// number of rows; `nil` if the entries' hash bits don't suffice.
  ///
  /// A segment's entries go to neighbouring segments, in their order.
  @usableFromInline
  func grown(room: Int) -> KeyIndex? {
    var grown = emptied(room: room)
    guard grown.segments.count <= KeyIndex.knownSegmentMax else { return nil }
    grown.entryCount = entryCount
    grown.covered = covered
    grown.columnPlaces = columnPlaces
    grown.ordinals = ordinals
    grown.blocks = blocks
    grown.lastBlocks = lastBlocks
    grown.blockRoom = blockRoom
    grown.coveredEvents = coveredEvents
    grown.twins = twins
    grown.crowds = crowds
    for segment in segments {
      for slot in 0..<segment.size where !segment.entries[slot].isFree {
        let entry = segment.entries[slot]
        let place = grown.segment(of: entry.hash)
        if grown.segments[place].isFull {
          guard grown.segments[place].size < KeyIndex.knownSlotMax else { return nil }
          grown.double(place)
        }
        grown.segments[place].insert(entry, hash: entry.hash)
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
