/// Finds the dots of the rows with a key: a hash table of dots, not of keys.
///
/// An entry holds a dot and some bits of its key's hash; it is checked against
/// the row's page when used, so rows can die, and tables can merge, without
/// touching the index. The index covers each replica's events up to some
/// counter, and is extended when a lookup first needs more.
///
/// The table is cut into segments by the highest bits of the hash. A copy
/// shares the segments, and a change after a copy copies one of them.
@frozen
@usableFromInline
package struct KeyIndex: Sendable {
  /// A dot, with its replica as an ordinal; all zero where there is none.
  @frozen
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var counterLow: UInt32
    @usableFromInline var counterHigh: UInt16
    @usableFromInline var tag: UInt16
    @usableFromInline var ordinal: UInt32

    @inlinable
    init() {
      (counterLow, counterHigh, tag, ordinal) = (0, 0, 0, 0)
    }

    @inlinable
    init(counter: UInt64, ordinal: UInt32, tag: UInt16) {
      counterLow = UInt32(truncatingIfNeeded: counter)
      counterHigh = UInt16(truncatingIfNeeded: counter &>> 32)
      self.tag = tag
      self.ordinal = ordinal
    }

    @inlinable
    var counter: UInt64 { UInt64(counterHigh) &<< 32 | UInt64(counterLow) }

    @inlinable
    var isUsed: Bool { counterLow | UInt32(counterHigh) != 0 }
  }

  /// An open-addressing table of a power of two of entries.
  @frozen
  @usableFromInline
  struct Segment: Sendable {
    @usableFromInline var entries: ContiguousArray<Entry>
    @usableFromInline var used = 0

    @inlinable
    init(size: Int) {
      entries = ContiguousArray(repeating: Entry(), count: size)
    }

    /// Whether the segment should grow before an entry is added.
    @inlinable
    var isFull: Bool { used &* 4 >= entries.count &* 3 }

    @inlinable
    mutating func insert(_ entry: Entry, hash: UInt) {
      let mask = UInt(entries.count &- 1)
      var slot = hash & mask
      while entries[Int(slot)].isUsed { slot = (slot &+ 1) & mask }
      entries[Int(slot)] = entry
      used &+= 1
    }
  }

  /// How many entries a segment may hold on average before there are more segments.
  @inlinable
  static var segmentLoadMax: Int { 3_072 }

  @usableFromInline var segments: ContiguousArray<Segment>
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

  /// An index that covers nothing, with room for some rows.
  @inlinable
  package init(room: Int = 0) {
    var count = 1
    while count &* KeyIndex.segmentLoadMax < room &+ room / 2 { count &*= 2 }
    var size = 32
    while size &* 2 < room / count &* 3 { size &*= 2 }
    segments = ContiguousArray(repeating: Segment(size: size), count: count)
    entryCount = 0
    covered = []
    columnPlaces = []
    ordinals = []
    coveredEvents = 0
    twins = []
  }

  /// How many entries there may be before there should be more segments.
  @inlinable
  var room: Int { segments.count &* KeyIndex.segmentLoadMax }

  /// The place of the segment of a hash: its highest bits.
  @inlinable
  func segment(of hash: UInt) -> Int {
    Int(hash.multipliedFullWidth(by: UInt(segments.count)).high)
  }

  /// The bits of a hash that an entry keeps.
  @inlinable
  static func tag(of hash: UInt) -> UInt16 {
    UInt16(truncatingIfNeeded: hash &>> 20)
  }

  @inlinable
  static func hash(of key: some Hashable) -> UInt {
    UInt(bitPattern: key.hashValue)
  }
}
