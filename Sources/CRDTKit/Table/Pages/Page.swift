/// Up to 1,024 events of one replica: a bit for each that says whether its row is
/// live, and the live rows, packed in order.
///
/// A *dense* page covers 1,024 counters in a row, a *block*: slot 0 is the block's
/// first. A *packed* page lists the counters of its slots, so that what is left
/// of many blocks, overwritten almost wholly, takes one page.
///
/// A page is shared between tables by reference. Only a table that holds the
/// sole reference may change it. Who has to change one that is shared need not copy
/// its rows: another page goes on from it, with bits of its own, and room for a few
/// rows that are added. The one that it goes on from stays as it is while that holds
/// it.
@usableFromInline
package final class Page<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  ManagedBuffer<Page.Header, Row<Key, Payload>>
{
  @frozen
  @usableFromInline
  package struct Header {
    @usableFromInline var live: LiveBits
    /// The slots whose rows are stored: of those that aren't live the row has died.
    @usableFromInline var filled: LiveBits
    /// Where the digests of the rows are kept; 0 while nobody has asked for any.
    @usableFromInline var digestsAddress: UInt
    /// How many rows are live.
    @usableFromInline var count: Int
    /// How many places are taken, by live rows and by dead ones.
    @usableFromInline var stored: Int
    @usableFromInline var room: Int
    /// One past the last slot that was filled: equal to `stored` while there is no gap.
    @usableFromInline var end: Int
    /// The counter of slot 0.
    @usableFromInline let first: UInt64
    @usableFromInline let isDense: Bool
    /// The counter of each slot of a packed page; empty in a dense one.
    @usableFromInline let counters: ContiguousArray<UInt64>

    /// The page that has the rows of the first places, and those rows; none where all
    /// are in this page.
    ///
    /// It doesn't change while it is held here: whoever else holds it doesn't hold the
    /// sole reference.
    @usableFromInline let source: AnyObject?
    @usableFromInline let sourceRows: UnsafeMutablePointer<Row<Key, Payload>>?
    /// How many places those are, and one past the last slot of them.
    @usableFromInline let split: Int
    @usableFromInline let splitEnd: Int

    @inlinable
    init(
      first: UInt64, room: Int, counters: ContiguousArray<UInt64>, source: AnyObject? = nil,
      sourceRows: UnsafeMutablePointer<Row<Key, Payload>>? = nil, split: Int = 0,
      splitEnd: Int = 0
    ) {
      live = LiveBits()
      filled = LiveBits()
      digestsAddress = 0
      count = 0
      stored = 0
      end = 0
      self.room = room
      self.first = first
      isDense = counters.isEmpty
      self.counters = counters
      self.source = source
      self.sourceRows = sourceRows
      self.split = split
      self.splitEnd = splitEnd
    }
  }

  @inlinable
  deinit {
    deinitializeOwnRows(in: live)
    releaseDigests()
  }

  /// Makes an empty page; a dense one where no counters are given.
  @inlinable
  static func make(
    first: UInt64, room: Int, counters: ContiguousArray<UInt64> = []
  ) -> Page {
    let page = Page.create(minimumCapacity: room) { _ in
      Header(first: first, room: room, counters: counters)
    }
    return unsafeDowncast(page, to: Page.self)
  }

  /// How many counters a block has.
  @inlinable
  static var blockSize: UInt64 { UInt64(LiveBits.slotCount) }

  /// The first counter of the block that a counter is in.
  @inlinable
  static func blockStart(of counter: UInt64) -> UInt64 {
    (counter &- 1) & ~(blockSize &- 1) &+ 1
  }

  @inlinable
  var isDense: Bool { withUnsafeMutablePointerToHeader { $0.pointee.isDense } }

  /// The counter of slot 0.
  @inlinable
  var first: UInt64 { withUnsafeMutablePointerToHeader { $0.pointee.first } }

  /// How many rows there is room for.
  @inlinable
  var room: Int { withUnsafeMutablePointerToHeader { $0.pointee.room } }

  /// The counters of a packed page's slots.
  @inlinable
  var counters: ContiguousArray<UInt64> {
    withUnsafeMutablePointerToHeader { $0.pointee.counters }
  }

  /// The words of the bits in place: a bit is read or set there without moving all.
  ///
  /// They are the header's first field; the pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  var liveWords: UnsafeMutablePointer<UInt64> {
    withUnsafeMutablePointerToHeader {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self)
    }
  }

  /// The words of the bits that say which slots are filled: the header's second field.
  @inlinable
  @inline(__always)
  var filledWords: UnsafeMutablePointer<UInt64> {
    liveWords + LiveBits.slotCount / UInt64.bitWidth
  }

  /// The rows that are stored here; the pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  var elements: UnsafeMutablePointer<Row<Key, Payload>> {
    withUnsafeMutablePointerToElements { $0 }
  }

  /// Whether the slot holds a live row.
  @inlinable
  func isLive(_ slot: Int) -> Bool {
    liveWords[slot &>> 6] &>> UInt64(slot & 63) & 1 == 1
  }

  @inlinable
  var filled: LiveBits { withUnsafeMutablePointerToHeader { $0.pointee.filled } }

  @inlinable
  package var live: LiveBits { withUnsafeMutablePointerToHeader { $0.pointee.live } }

  /// How many rows are live.
  @inlinable
  var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }

  /// How many places are taken.
  @inlinable
  var stored: Int { withUnsafeMutablePointerToHeader { $0.pointee.stored } }

  /// How many of the places are in another page.
  @inlinable
  var split: Int { withUnsafeMutablePointerToHeader { $0.pointee.split } }

  /// The first counter of the last block that the page covers.
  @inlinable
  var lastBlockStart: UInt64 {
    if let last = counters.last { Page.blockStart(of: last) } else { first }
  }

  /// The counter of a slot.
  @inlinable
  package func counter(at slot: Int) -> UInt64 {
    isDense ? first &+ UInt64(slot) : counters[slot]
  }

  /// The first slot whose counter is not below the given one; 1,024 at most.
  @inlinable
  func slot(notBelow counter: UInt64) -> Int {
    if isDense {
      return counter <= first ? 0 : Int(min(counter &- first, Page.blockSize))
    }
    var low = 0
    var high = counters.count
    while low < high {
      let middle = (low + high) / 2
      if counters[middle] < counter { low = middle + 1 } else { high = middle }
    }
    return low == counters.count ? LiveBits.slotCount : low
  }

  /// The slot of a live row, if the page has it.
  @inlinable
  func liveSlot(of counter: UInt64) -> Int? {
    let slot = slot(notBelow: counter)
    guard slot < LiveBits.slotCount, isLive(slot), isDense || counters[slot] == counter
    else { return nil }
    return slot
  }

  /// The bits of the slots whose counters are not above the given one.
  @inlinable
  func slots(upTo counter: UInt64) -> LiveBits {
    LiveBits(first: slot(notBelow: counter &+ 1))
  }

  /// The bits of the slots of which a side that tells what became of the events
  /// after `base`, up to `seen`, says nothing.
  @inlinable
  func slotsUndecided(after base: UInt64, upTo seen: UInt64) -> LiveBits {
    ~slots(upTo: seen) | slots(upTo: base)
  }

  /// Whether two pages give the same counters to their slots.
  @inlinable
  func hasSameLayout(as other: Page) -> Bool {
    first == other.first && isDense == other.isDense
      && (isDense || counters == other.counters)
  }

  /// The place of the row in a slot: how many slots before it are filled.
  @inlinable
  @inline(__always)
  func place(of slot: Int) -> Int {
    withUnsafeMutablePointerToHeader { header in
      header.pointee.stored == header.pointee.end
        ? slot : header.pointee.filled.rank(of: slot)
    }
  }

  /// Where the row in a place is, here or in the page that this one goes on from; the
  /// pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  func address(of place: Int) -> UnsafeMutablePointer<Row<Key, Payload>> {
    let header = withUnsafeMutablePointerToHeader { $0 }
    if let shared = header.pointee.sourceRows, place < header.pointee.split {
      return shared + place
    }
    return elements + (place &- header.pointee.split)
  }

  /// The live row in a slot.
  @inlinable
  package func row(at slot: Int) -> Row<Key, Payload> {
    address(of: place(of: slot)).pointee
  }

  /// The key of the live row in a slot.
  @inlinable
  @inline(__always)
  func key(at slot: Int) -> Key {
    address(of: place(of: slot)).pointee.key
  }

  /// Calls the body for the rows in some live slots, in order: as many at a time as
  /// stand side by side, with the slot of the first of them.
  @inlinable
  @inline(__always)
  func forEachStretch(
    of slots: LiveBits, from first: Int = 0,
    _ body: (_ slot: Int, _ rows: UnsafeMutablePointer<Row<Key, Payload>>, _ count: Int) -> Void
  ) {
    var slot = slots.next(from: first)
    guard slot < LiveBits.slotCount else { return }
    let (split, hasDead) = withUnsafeMutablePointerToHeader {
      ($0.pointee.split, $0.pointee.filled != slots)
    }
    var place = place(of: slot)
    while true {
      var end = slots.nextGap(from: slot)
      if place < split { end = min(end, slot &+ split &- place) }
      body(slot, address(of: place), end &- slot)
      place &+= end &- slot
      slot = slots.next(from: end)
      guard slot < LiveBits.slotCount else { return }
      if hasDead { place = self.place(of: slot) }
    }
  }

  /// Calls the body with the live rows, in order: as many at a time as stand side by
  /// side.
  @inlinable
  func withRows(_ body: (UnsafeBufferPointer<Row<Key, Payload>>) -> Void) {
    forEachStretch(of: live) { _, rows, count in
      body(UnsafeBufferPointer(start: rows, count: count))
    }
  }

  /// Calls the body with the slot and row of each live row from a slot on, in order.
  @inlinable
  package func forEachRow(
    from first: Int = 0, _ body: (_ slot: Int, _ row: Row<Key, Payload>) -> Void
  ) {
    forEachStretch(of: live, from: first) { slot, rows, count in
      var place = 0
      while place < count {
        body(slot &+ place, rows[place])
        place &+= 1
      }
    }
  }
}
