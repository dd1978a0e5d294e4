/// Up to 1,024 events of one replica: a bitmap of their live rows, and the live rows in
/// order.
///
/// A *dense* page covers a *block* of 1,024 consecutive counters: slot 0 is the block's
/// first. A *packed* page lists the counters of its slots. So the few rows that are left
/// of many blocks take one page.
///
/// Tables share a page by reference. Only a table that holds the sole reference may
/// change it. To change a shared page without copying its rows, a table makes a page that
/// continues it: the new page has its own bitmap. The rows of the continued page do not
/// change while the new page holds it; the new page adds rows after them, in the continued
/// page's free room if no other page was first, else in a little room of its own.
@usableFromInline
package final class Page<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>:
  ManagedBuffer<Page.Header, Row<Key, Payload>>
{
  @frozen
  @usableFromInline
  package struct Header {
    @usableFromInline var live: LiveBits
    /// The slots whose rows are stored; rows in slots that aren't live have been removed.
    @usableFromInline var filled: LiveBits
    /// The address of the rows' digests; 0 before first use.
    @usableFromInline var digestsAddress: UInt
    /// The number of rows after the stored ones that pages which continue this one have
    /// added here.
    @usableFromInline var lent: Int
    /// The number of live rows.
    @usableFromInline var count: Int
    /// The number of stored rows, live or removed.
    @usableFromInline var stored: Int
    @usableFromInline var room: Int
    /// The slot after the last filled one; equal to `stored` while there is no gap.
    @usableFromInline var end: Int
    /// The counter of slot 0.
    @usableFromInline let first: UInt64
    @usableFromInline let isDense: Bool
    /// Whether rows are plain bits, so that nothing is to be done when they are removed.
    @usableFromInline let hasPlainRows: Bool
    /// The counter of each slot of a packed page; empty in a dense one.
    @usableFromInline let counters: ContiguousArray<UInt64>

    /// The page that stores the first rows, and a pointer to those rows; `nil` if this
    /// page stores all rows.
    ///
    /// That page doesn't change while this page holds it, because no other holder has the
    /// sole reference.
    @usableFromInline let source: AnyObject?
    @usableFromInline let sourceRows: UnsafeMutablePointer<Row<Key, Payload>>?
    /// The number of rows stored there, and the slot after the last of them.
    @usableFromInline var split: Int
    @usableFromInline var splitEnd: Int

    @inlinable
    init(
      first: UInt64, room: Int, counters: ContiguousArray<UInt64>, source: AnyObject? = nil,
      sourceRows: UnsafeMutablePointer<Row<Key, Payload>>? = nil, split: Int = 0,
      splitEnd: Int = 0
    ) {
      live = LiveBits()
      filled = LiveBits()
      digestsAddress = 0
      lent = 0
      count = 0
      stored = 0
      end = 0
      self.room = room
      self.first = first
      isDense = counters.isEmpty
      hasPlainRows = _isPOD(Row<Key, Payload>.self)
      self.counters = counters
      self.source = source
      self.sourceRows = sourceRows
      self.split = split
      self.splitEnd = splitEnd
    }
  }

  @inlinable
  deinit {
    let header = withUnsafeMutablePointerToHeader { $0 }
    if header.pointee.hasPlainRows {
      // A deinitializer isn't specialized: it would look up the type of the rows.
    } else if header.pointee.split == 0, header.pointee.stored == header.pointee.count {
      elements.deinitialize(count: header.pointee.stored &+ header.pointee.lent)
    } else {
      deinitializeOwnRows(in: live)
      dropLentRows()
    }
    releaseDigests()
  }

  /// Makes an empty page; a dense one if you pass no counters.
  @inlinable
  static func make(
    first: UInt64, room: Int, counters: ContiguousArray<UInt64> = []
  ) -> Page {
    let page = Page.create(minimumCapacity: room) { _ in
      Header(first: first, room: room, counters: counters)
    }
    return unsafeDowncast(page, to: Page.self)
  }

  /// The number of counters in a block.
  @inlinable
  static var blockSize: UInt64 { UInt64(LiveBits.slotCount) }

  /// Returns the first counter of the block that contains a counter.
  @inlinable
  static func blockStart(of counter: UInt64) -> UInt64 {
    (counter &- 1) & ~(blockSize &- 1) &+ 1
  }

  @inlinable
  var isDense: Bool { withUnsafeMutablePointerToHeader { $0.pointee.isDense } }

  /// The counter of slot 0.
  @inlinable
  var first: UInt64 { withUnsafeMutablePointerToHeader { $0.pointee.first } }

  /// The number of rows for which there is room.
  @inlinable
  var room: Int { withUnsafeMutablePointerToHeader { $0.pointee.room } }

  /// The counters of a packed page's slots.
  @inlinable
  var counters: ContiguousArray<UInt64> {
    withUnsafeMutablePointerToHeader { $0.pointee.counters }
  }

  /// The words of the bitmap, for reading or setting a bit without copying the bitmap.
  ///
  /// They are the header's first field; the pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  var liveWords: UnsafeMutablePointer<UInt64> {
    withUnsafeMutablePointerToHeader {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self)
    }
  }

  /// The words of the bitmap of filled slots: the header's second field.
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

  /// Returns whether the slot holds a live row.
  @inlinable
  func isLive(_ slot: Int) -> Bool {
    liveWords[slot &>> 6] &>> UInt64(slot & 63) & 1 == 1
  }

  @inlinable
  var filled: LiveBits { withUnsafeMutablePointerToHeader { $0.pointee.filled } }

  @inlinable
  package var live: LiveBits { withUnsafeMutablePointerToHeader { $0.pointee.live } }

  /// The number of live rows.
  @inlinable
  var count: Int { withUnsafeMutablePointerToHeader { $0.pointee.count } }

  /// The number of stored rows, live or removed.
  @inlinable
  var stored: Int { withUnsafeMutablePointerToHeader { $0.pointee.stored } }

  /// The number of rows that are stored in another page.
  @inlinable
  var split: Int { withUnsafeMutablePointerToHeader { $0.pointee.split } }

  /// The first counter of the last block that the page covers.
  @inlinable
  var lastBlockStart: UInt64 {
    if let last = counters.last { Page.blockStart(of: last) } else { first }
  }

  /// Returns the counter of a slot.
  @inlinable
  package func counter(at slot: Int) -> UInt64 {
    isDense ? first &+ UInt64(slot) : counters[slot]
  }

  /// The slot of the only live row; the first one if there are more.
  @inlinable
  var onlySlot: Int {
    // The last filled slot is live if there is no other.
    stored == 1 ? withUnsafeMutablePointerToHeader { $0.pointee.end } &- 1 : live.next(from: 0)
  }

  /// The counter of that row.
  @inlinable
  var onlyCounter: UInt64 { counter(at: onlySlot) }

  /// Returns the first slot whose counter is not less than the given one; 1,024 at most.
  @inlinable
  func slot(notBelow counter: UInt64) -> Int {
    if isDense {
      return counter <= first ? 0 : Int(min(counter &- first, Page.blockSize))
    }
    let counters = counters
    let slot = counters.indices.partitioningIndex { counters[$0] >= counter }
    return slot == counters.count ? LiveBits.slotCount : slot
  }

  /// Returns the slot of the live row at a counter; `nil` if there is none.
  @inlinable
  func liveSlot(of counter: UInt64) -> Int? {
    let slot = slot(notBelow: counter)
    guard slot < LiveBits.slotCount, isLive(slot), isDense || counters[slot] == counter
    else { return nil }
    return slot
  }

  /// Returns the slots whose counters are not greater than the given one.
  @inlinable
  func slots(upTo counter: UInt64) -> LiveBits {
    LiveBits(first: slot(notBelow: counter &+ 1))
  }

  /// Returns the slots whose counters are outside of `base + 1 ... seen`.
  ///
  /// The other side has no information on the events of these slots.
  @inlinable
  func slotsUndecided(after base: UInt64, upTo seen: UInt64) -> LiveBits {
    ~slots(upTo: seen) | slots(upTo: base)
  }

  /// Returns whether the slots of two pages have the same counters.
  @inlinable
  func hasSameLayout(as other: Page) -> Bool {
    first == other.first && isDense == other.isDense
      && (isDense || counters == other.counters)
  }

  /// Returns the index of the row in a slot: the number of filled slots before it.
  @inlinable
  @inline(__always)
  func place(of slot: Int) -> Int {
    let header = withUnsafeMutablePointerToHeader { $0 }
    let (stored, end) = (header.pointee.stored, header.pointee.end)
    if stored == end { return slot }
    if slot == end &- 1 { return stored &- 1 }
    return rank(of: slot)
  }

  /// Returns the number of filled slots before a slot.
  @inlinable
  @inline(never)
  func rank(of slot: Int) -> Int {
    withUnsafeMutablePointerToHeader { $0.pointee.filled.rank(of: slot) }
  }

  /// Returns the address of the row at an index, in this page or in the one that it
  /// continues; the pointer is valid while the page is held.
  @inlinable
  @inline(__always)
  func address(of place: Int) -> UnsafeMutablePointer<Row<Key, Payload>> {
    let header = withUnsafeMutablePointerToHeader { $0 }
    if let shared = header.pointee.sourceRows, place < header.pointee.split {
      return shared + place
    }
    return elements + (place &- header.pointee.split)
  }

  /// Returns the address of a dense page's row in a slot, or `nil` if it isn't live.
  @inlinable
  @inline(__always)
  func address(inDense slot: UInt64) -> UnsafeMutablePointer<Row<Key, Payload>>? {
    let slot = Int(truncatingIfNeeded: slot)
    return isLive(slot) ? address(of: place(of: slot)) : nil
  }

  /// Returns the live row in a slot.
  @inlinable
  package func row(at slot: Int) -> Row<Key, Payload> {
    address(of: place(of: slot)).pointee
  }

  /// Returns the key of the live row in a slot.
  @inlinable
  @inline(__always)
  func key(at slot: Int) -> Key {
    address(of: place(of: slot)).pointee.key
  }

  /// Calls the body with the rows in the given live slots, in order: with each run of
  /// consecutive rows, and the slot of its first row.
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

  /// Returns the first run of consecutive live rows at or after a slot, and the slot of its
  /// first row; `nil` if there is none.
  @inlinable
  func run(
    from slot: Int
  ) -> (slot: Int, rows: UnsafeMutablePointer<Row<Key, Payload>>, count: Int)? {
    let first = live.next(from: slot)
    guard first < LiveBits.slotCount else { return nil }
    let place = place(of: first)
    let count = live.nextGap(from: first) &- first
    return (first, address(of: place), place < split ? min(count, split &- place) : count)
  }

  /// Calls the body with the live rows, in order, one run of consecutive rows at a time.
  @inlinable
  func withRows(_ body: (UnsafeBufferPointer<Row<Key, Payload>>) -> Void) {
    forEachStretch(of: live) { _, rows, count in
      body(UnsafeBufferPointer(start: rows, count: count))
    }
  }

  /// Calls the body with the slot and row of each live row, in order, from a slot on.
  @inlinable
  package func forEachRow(
    from first: Int = 0, _ body: (_ slot: Int, _ row: Row<Key, Payload>) -> Void
  ) {
    if count == 1 {
      // The page of a register.
      let slot = onlySlot
      if slot >= first { body(slot, address(of: place(of: slot)).pointee) }
      return
    }
    forEachStretch(of: live, from: first) { slot, rows, count in
      var place = 0
      while place < count {
        body(slot &+ place, rows[place])
        place &+= 1
      }
    }
  }

  /// Calls the body with the counter and address of each live row at some counters, in
  /// order.
  @inlinable
  func forEachRow(
    in counters: ClosedRange<UInt64>,
    _ body: (_ counter: UInt64, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    if count == 1 {
      let slot = onlySlot
      let counter = counter(at: slot)
      if counters.contains(counter) { body(counter, address(of: place(of: slot))) }
      return
    }
    var slot = slot(notBelow: counters.lowerBound)
    while let run = run(from: slot) {
      for place in 0..<run.count {
        let counter = counter(at: run.slot &+ place)
        guard counter <= counters.upperBound else { return }
        body(counter, run.rows + place)
      }
      slot = run.slot &+ run.count
    }
  }
}
