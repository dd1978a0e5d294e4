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
